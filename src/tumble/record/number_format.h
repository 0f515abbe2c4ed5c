// Numbers as text with 17 significant digits: every double reads back bit for bit, in any locale.
#pragma once

#include <string>

namespace tumble::record {

/// Appends x as printf("%.17g") would in the C locale.
void append_number(std::string& text, double x);

/// x as a string, formatted likewise.
std::string format_number(double x);

}  // namespace tumble::record
