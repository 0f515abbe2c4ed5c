// The letters of labels, as lines. Own drawings, so that a picture needs no font.
#pragma once

#include <string_view>

namespace tumble::view::detail {

/// The lines of a character: points are a digit for x and a letter for y (e is the base line, q the height of
/// capitals, 12 units above), a blank begins a new line. Empty for a blank; a box for unknown characters.
std::string_view glyph(char c);
inline constexpr int kCapitalHeight = 12, kBlankWidth = 4, kGlyphGap = 3;  // units
inline constexpr char kBaseLine = 'e';

/// The largest x of a glyph, units.
int glyph_width(std::string_view lines);

}  // namespace tumble::view::detail
