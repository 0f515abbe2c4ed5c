// tumble examples: lists the built-in scenes, or copies one to a folder.
#include "examples.h"

#include <cstdio>
#include <filesystem>
#include <set>

#include "exit_codes.h"
#include "report.h"
#include "verbs.h"

namespace tumble::app {
namespace {

bool is_scene(const EmbeddedFile& file) { return file.name.ends_with(".xml"); }
std::string name_of(const EmbeddedFile& file) {
  return std::string(file.name.substr(0, file.name.size() - 4));
}

// The first sentence of the comment at the top of a scene.
std::string description(const EmbeddedFile& file) {
  const size_t begin = file.bytes.find("<!--");
  if (begin == std::string_view::npos) return "";
  const size_t end = std::min(file.bytes.find("-->", begin), file.bytes.find(". ", begin));
  std::string text;
  for (const char c : file.bytes.substr(begin + 4, end - begin - 4))
    if (const char plain = c == '\n' ? ' ' : c; plain != ' ' || (!text.empty() && text.back() != ' '))
      text += plain;
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

// The other files a scene names with file="...".
std::set<std::string> files_named_in(const EmbeddedFile& scene) {
  std::set<std::string> names;
  for (const EmbeddedFile& file : embedded_scenes())
    if (scene.bytes.find("file=\"" + std::string(file.name) + "\"") != std::string_view::npos)
      names.insert(std::string(file.name));
  return names;
}

// Returns the exit code.
int write_new(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    say(path.string() + " exists already; it was not changed");
    return kExitWrongUse;
  }
  const int exit_code = write_whole(path.string(), bytes);
  if (exit_code == kExitDone) std::printf("%s\n", path.string().c_str());
  return exit_code;
}

int examples(const Arguments& arguments) {
  arguments.require_operands(0, 2);
  if (arguments.operands().empty()) {
    for (const EmbeddedFile& file : embedded_scenes())
      if (is_scene(file)) std::printf("%-22s %s\n", name_of(file).c_str(), description(file).c_str());
    std::fprintf(stderr,
                 "\ntumble examples NAME [DIR] copies a scene to DIR (default: the current folder).\n");
    return kExitDone;
  }
  const std::string& wanted = arguments.operands()[0];
  const std::filesystem::path folder = arguments.operands().size() > 1 ? arguments.operands()[1] : ".";
  std::vector<std::string> names;
  for (const EmbeddedFile& scene : embedded_scenes()) {
    if (!is_scene(scene)) continue;
    names.push_back(name_of(scene));
    if (names.back() != wanted && scene.name != wanted) continue;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    int exit_code = write_new(folder / scene.name, scene.bytes);
    for (const EmbeddedFile& file : embedded_scenes())
      if (files_named_in(scene).count(std::string(file.name)))
        if (const int code = write_new(folder / file.name, file.bytes); exit_code == kExitDone)
          exit_code = code;
    return exit_code;
  }
  const std::string near = core::nearest_name(wanted, names);
  throw UsageError("there is no example \"" + wanted + "\"" +
                   (near.empty() ? "" : "; did you mean " + near + "?"));
}

}  // namespace

Verb examples_verb() {
  return {"examples", "[NAME [DIR]]", "list the built-in scenes, or copy one to DIR", {}, examples};
}

}  // namespace tumble::app
