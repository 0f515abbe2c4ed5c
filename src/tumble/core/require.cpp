#include "tumble/core/require.h"

#include <cstring>

namespace tumble::core {

void throw_logic_error(const char* condition, const char* file, int line, const std::string& message) {
  const char* slash = std::strrchr(file, '/');
  throw LogicError(std::string(slash ? slash + 1 : file) + ":" + std::to_string(line) + ": " + message +
                   " (" + condition + ")");
}

}  // namespace tumble::core
