#include "tumble/core/files.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <fstream>

#include "tumble/core/hash.h"
#include "tumble/core/ids.h"

using namespace tumble::core;

namespace {

struct TemporaryFolder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tumble_files_test_" + std::to_string(getpid()));
  TemporaryFolder() { std::filesystem::create_directories(path); }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("a file is read to the last byte") {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 200000; ++i) bytes += static_cast<char>(i * 7 % 251);
  std::ofstream(folder.path / "a", std::ios::binary) << bytes;
  const auto read = read_file(folder.path / "a");
  REQUIRE(read);
  CHECK(*read == bytes);
}

TEST_CASE("a missing file and a folder are refused with the reason") {
  const TemporaryFolder folder;
  CHECK(to_string(read_file(folder.path / "none").diagnostics().at(0)) ==
        (folder.path / "none").string() + ": cannot be read: No such file or directory");
  CHECK(to_string(read_file(folder.path).diagnostics().at(0)) ==
        folder.path.string() + ": is a directory; a file was expected");
}

TEST_CASE("hashes are FNV-1a and can be continued") {
  CHECK(hash_bytes("") == 0xcbf29ce484222325ull);
  CHECK(hash_bytes("a") == 0xaf63dc4c8601ec8cull);  // published test vectors
  CHECK(hash_bytes("foobar") == 0x85944171f73967e8ull);
  CHECK(hash_bytes("bar", hash_bytes("foo")) == hash_bytes("foobar"));
}

TEST_CASE("an id is invalid until it is given an index") {
  CHECK_FALSE(BodyId().valid());
  CHECK(BodyId(0).valid());
  CHECK(BodyId(7).index() == 7);
  CHECK(BodyId(1) < BodyId(2));
}
