// Numbers as text: 17 significant digits, so that every double comes back bit for bit, in any locale.
#pragma once

#include <string>

namespace tumble::record {

/// Appends x as printf("%.17g") would in the C locale.
void append_number(std::string& text, double x);

/// The same as a string of its own.
std::string format_number(double x);

}  // namespace tumble::record
