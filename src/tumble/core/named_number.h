// A number with its name, for results that another module only writes to a file.
#pragma once

#include <string>

namespace tumble::core {

struct NamedNumber {
  std::string name;
  double value = 0;
  bool whole = false;  // a count, written without a decimal point
};

}  // namespace tumble::core
