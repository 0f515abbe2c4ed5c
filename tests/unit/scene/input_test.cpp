// tests/input has one faulty scene per rule and the expected messages. tests/input/good has scenes that must
// load without messages.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "support/files.h"
#include "tumble/scene/scene.h"

namespace fs = std::filesystem;
using namespace tumble;

namespace {

const fs::path kInput = fs::path(TUMBLE_SOURCE_DIR) / "tests/input";

std::vector<fs::path> scenes_in(const fs::path& folder) {
  std::vector<fs::path> scenes;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".xml") scenes.push_back(entry.path());
  std::sort(scenes.begin(), scenes.end());
  return scenes;
}

/// The diagnostics as lines, with files relative to `folder`.
std::string lines_of(const core::Diagnostics& diagnostics, const fs::path& folder) {
  const std::string prefix = folder.string() + "/";
  std::string lines;
  for (const core::Diagnostic& diagnostic : diagnostics) lines += to_string(diagnostic) + "\n";
  for (size_t at = lines.find(prefix); at != std::string::npos; at = lines.find(prefix, at))
    lines.erase(at, prefix.size());
  return lines;
}

}  // namespace

TEST_CASE("every faulty scene gives exactly the expected messages") {
  const std::vector<fs::path> scenes = scenes_in(kInput);
  CHECK(scenes.size() >= 80);
  for (const fs::path& path : scenes) {
    const core::Expected<scene::Scene> loaded = scene::load_scene(path.string());
    const std::string expected = support::text_of(fs::path(path).replace_extension(".expected"));
    CHECK_MESSAGE(lines_of(loaded.diagnostics(), kInput) == expected, path.filename().string());
    CHECK_MESSAGE(!expected.empty(), path.filename().string() << " belongs in good/");
    CHECK_MESSAGE(!loaded == core::has_errors(loaded.diagnostics()), path.filename().string());
  }
}

TEST_CASE("every file of expected messages has its scene") {
  for (const auto& entry : fs::directory_iterator(kInput))
    if (entry.path().extension() == ".expected")
      CHECK_MESSAGE(fs::exists(fs::path(entry.path()).replace_extension(".xml")), entry.path().string());
}

TEST_CASE("every good scene loads without messages") {
  const std::vector<fs::path> scenes = scenes_in(kInput / "good");
  CHECK(scenes.size() >= 8);
  for (const fs::path& path : scenes) {
    const core::Expected<scene::Scene> loaded = scene::load_scene(path.string());
    CHECK_MESSAGE(lines_of(loaded.diagnostics(), kInput) == "", path.filename().string());
    CHECK_MESSAGE(loaded, path.filename().string());
  }
}

TEST_CASE("for a missing scene or a directory the message has the name without a line") {
  const auto missing = scene::load_scene((kInput / "none.xml").string());
  CHECK(lines_of(missing.diagnostics(), kInput) == "none.xml: cannot be read: No such file or directory\n");
  const auto folder = scene::load_scene((kInput / "good").string());
  CHECK(lines_of(folder.diagnostics(), kInput) == "good: is a directory; a file was expected\n");
}
