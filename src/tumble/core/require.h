// Broken preconditions: an error in code that calls the library. TUMBLE_REQUIRE is always on and throws;
// TUMBLE_ASSERT is for hot loops and is on where TUMBLE_ASSERTIONS is defined (Debug and sanitizer builds).
#pragma once

#include <stdexcept>
#include <string>

namespace tumble::core {

class LogicError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void throw_logic_error(const char* condition, const char* file, int line,
                                    const std::string& message);

}  // namespace tumble::core

#define TUMBLE_REQUIRE(condition, message)                                          \
  do {                                                                              \
    if (!(condition)) [[unlikely]]                                                  \
      ::tumble::core::throw_logic_error(#condition, __FILE__, __LINE__, (message)); \
  } while (false)

#ifdef TUMBLE_ASSERTIONS
#define TUMBLE_ASSERT(condition) TUMBLE_REQUIRE(condition, "assertion failed")
#else
#define TUMBLE_ASSERT(condition) static_cast<void>(0)
#endif
