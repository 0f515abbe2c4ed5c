#include "tumble/view/detail/glyphs.h"

#include <algorithm>
#include <array>

namespace tumble::view::detail {

namespace {

// From ! to ~.
constexpr std::array<std::string_view, 94> kGlyphs = {
    "0q0i 0e0f",                         // !
    "0q0n 3q3n",                         // "
    "2e3q 5e6q 0m8m 0i8i",               // #
    "7o5q2q0o0m2k5k7i7g5e2e0g 3r3d",     // $
    "0e7q 0q2q2o0o0q 5g7g7e5e5g",        // %
    "7e1n2q4q5o0i0g2e4e7i",              // &
    "0q0n",                              // '
    "3q1o0k0h1d3b",                      // (
    "0q2o3k3h2d0b",                      // )
    "3q3k 0p6l 6p0l",                    // *
    "0j6j 3g3m",                         // +
    "1f0c",                              // ,
    "0j5j",                              // -
    "0e0f",                              // .
    "0d6q",                              // /
    "2e5e7g7o5q2q0o0g2e",                // 0
    "0o3q3e",                            // 1
    "0o2q5q7o7m0e7e",                    // 2
    "0p1q5q7o7m5k2k 5k7i7g5e2e0g",       // 3
    "5e5q0i7i",                          // 4
    "7q1q0k2l5l7j7g5e2e0g",              // 5
    "6q3q1o0l0g2e5e7g7j5l2l0j",          // 6
    "0q7q2e",                            // 7
    "2k0m0o2q5q7o7m5k2k0i0g2e5e7g7i5k",  // 8
    "1e4e6g7j7o5q2q0o0l2j5j7l",          // 9
    "0e0f 0l0m",                         // :
    "1f0c 1l1m",                         // ;
    "6n0j6f",                            // <
    "0h6h 0l6l",                         // =
    "0n6j0f",                            // >
    "0o2q4q6o6m3k3i 3e3f",               // ?
    "6h4g3i3k4l6k6h8g8n6q2q0n0g2d6d",    // @
    "0e4q8e 1h7h",                       // A
    "0e0q5q7o7m5k0k 5k7i7g5e0e",         // B
    "7o5q2q0o0g2e5e7g",                  // C
    "0e0q4q7n7h4e0e",                    // D
    "7q0q0e7e 0k5k",                     // E
    "7q0q0e 0k5k",                       // F
    "7o5q2q0o0g2e5e7g7k4k",              // G
    "0e0q 7e7q 0k7k",                    // H
    "0e0q",                              // I
    "5q5g3e2e0g",                        // J
    "0e0q 7q0j 3l7e",                    // K
    "0q0e6e",                            // L
    "0e0q4i8q8e",                        // M
    "0e0q7e7q",                          // N
    "2e5e7g7o5q2q0o0g2e",                // O
    "0e0q5q7o7l5j0j",                    // P
    "2e5e7g7o5q2q0o0g2e 4h8d",           // Q
    "0e0q5q7o7l5j0j 4j7e",               // R
    "7o5q2q0o0m2k5k7i7g5e2e0g",          // S
    "0q8q 4q4e",                         // T
    "0q0g2e5e7g7q",                      // U
    "0q4e8q",                            // V
    "0q2e4m6e8q",                        // W
    "0q7e 7q0e",                         // X
    "0q4k8q 4k4e",                       // Y
    "0q7q0e7e",                          // Z
    "3q0q0b3b",                          // [
    "0q6d",                              // backslash
    "0q3q3b0b",                          // ]
    "0m3q6m",                            // ^
    "0d7d",                              // _
    "0q2n",                              // `
    "0l1m4m6k6e 6g4e2e0f0h2j6j",         // a
    "0q0e 0g2e4e6g6k4m2m0k",             // b
    "6l4m2m0k0g2e4e6f",                  // c
    "6q6e 6g4e2e0g0k2m4m6k",             // d
    "0i6i6k4m2m0k0g2e4e6f",              // e
    "5p4q3q2o2e 0m4m",                   // f
    "6m6c4a2a0b 6g4e2e0g0k2m4m6k",       // g
    "0q0e 0k2m4m6k6e",                   // h
    "0m0e 0p0q",                         // i
    "3m3c1a0a 3p3q",                     // j
    "0q0e 5m0h 2j5e",                    // k
    "0q0f1e2e",                          // l
    "0m0e 0k2m3m4k4e 4k6m7m8k8e",        // m
    "0m0e 0k2m4m6k6e",                   // n
    "2e4e6g6k4m2m0k0g2e",                // o
    "0m0a 0g2e4e6g6k4m2m0k",             // p
    "6m6a 6g4e2e0g0k2m4m6k",             // q
    "0m0e 0k2m4m",                       // r
    "5l4m1m0l0k1j4i5h5f4e1e0f",          // s
    "2p2g3e5e 0m4m",                     // t
    "0m0g2e4e6g 6m6e",                   // u
    "0m3e6m",                            // v
    "0m2e4k6e8m",                        // w
    "0m6e 6m0e",                         // x
    "0m3e 6m3e2b1a0a",                   // y
    "0m6m0e6e",                          // z
    "3q1p1l0j1h1c3b",                    // {
    "0q0b",                              // |
    "0q2p2l3j2h2c0b",                    // }
    "0j2k4i6j",                          // ~
};
constexpr std::string_view kUnknown = "0e6e6q0q0e";

}  // namespace

std::string_view glyph(char c) {
  if (c == ' ') return {};
  return c > ' ' && c <= '~' ? kGlyphs[static_cast<size_t>(c - '!')] : kUnknown;
}

int glyph_width(std::string_view lines) {
  if (lines.empty()) return kBlankWidth;
  int width = 0;
  for (const char c : lines)
    if (c >= '0' && c <= '9') width = std::max(width, c - '0');
  return width;
}

}  // namespace tumble::view::detail
