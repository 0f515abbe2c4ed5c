// Bytes of a part as text in a page, so that numbers that change little need little room.
//   delta:WORDS    each 32-bit word less the word WORDS before it, modulo 2^32
//   shuffle:WIDTH  all first bytes of the numbers of WIDTH bytes, then all second bytes, ...
//   deflate        compressed, zlib format (RFC 1950)
// The names, in the order in which the steps were made, are what the page undoes from the last to the first.
#pragma once

#include <string>
#include <string_view>

namespace tumble::page::detail {

/// A rest that is no whole word stays as it is.
std::string delta(std::string_view bytes, size_t words);
/// A rest that is no whole number stays at the end.
std::string shuffle(std::string_view bytes, size_t width);
std::string deflate(std::string_view bytes);
std::string to_base64(std::string_view bytes);

}  // namespace tumble::page::detail
