// A number with its name: how one module hands results to another that only writes them.
#pragma once

#include <string>

namespace tumble::core {

struct NamedNumber {
  std::string name;
  double value = 0;
  bool whole = false;  // a count, written without a decimal point
};

}  // namespace tumble::core
