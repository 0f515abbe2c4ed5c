#include "tumble/page/encode.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace detail = tumble::page::detail;

TEST_CASE("delta subtracts the word so many words before, modulo 2^32, and leaves a rest") {
  const uint32_t words[] = {1, 2, 5, 1, 0};
  std::string bytes(reinterpret_cast<const char*>(words), sizeof words);
  bytes += "xy";
  const std::string out = detail::delta(bytes, 2);
  REQUIRE(out.size() == bytes.size());
  uint32_t got[5];
  std::memcpy(got, out.data(), sizeof got);
  const uint32_t expected[] = {1, 2, 4, 0xffffffffu, 0xfffffffbu};
  for (int i = 0; i < 5; ++i) CHECK(got[i] == expected[i]);
  CHECK(out.substr(sizeof words) == "xy");
  CHECK(detail::delta("", 3).empty());
  CHECK(detail::delta("abcd", 3) == "abcd");
}

TEST_CASE("shuffle puts equal bytes of numbers beside each other, and the rest at the end") {
  CHECK(detail::shuffle("abcdABCD12", 4) == "aAbBcCdD12");
  CHECK(detail::shuffle("abc", 4) == "abc");
  CHECK(detail::shuffle("", 8).empty());
}

TEST_CASE("deflate is undone by zlib") {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{100000}}) {
    std::string bytes(size, 'a');
    for (size_t i = 0; i < size; i += 7) bytes[i] = static_cast<char>(i * i);
    const std::string packed = detail::deflate(bytes);
    std::string back(size + 1, '\0');
    uLongf length = back.size();
    REQUIRE(::uncompress(reinterpret_cast<Bytef*>(back.data()), &length,
                         reinterpret_cast<const Bytef*>(packed.data()), packed.size()) == Z_OK);
    back.resize(length);
    CHECK(back == bytes);
  }
}

TEST_CASE("base64 is that of RFC 4648") {
  CHECK(detail::to_base64("").empty());
  CHECK(detail::to_base64("f") == "Zg==");
  CHECK(detail::to_base64("fo") == "Zm8=");
  CHECK(detail::to_base64("foo") == "Zm9v");
  CHECK(detail::to_base64("foobar") == "Zm9vYmFy");
  CHECK(detail::to_base64("\xff\xfe\xfd") == "//79");
}
