#include "page_bundle.h"

#include <cstdlib>
#include <filesystem>

#include "report.h"
#include "tumble/core/files.h"

namespace tumble::app {

namespace {

// The folders that may have the page, in the order in which they are tried.
std::vector<std::string> bundle_folders() {
  if (const char* named = std::getenv("TUMBLE_WEB"); named && *named) return {named};
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const std::filesystem::path folder = program.parent_path();
  // build/PRESET/bin/tumble of a checkout; bin/tumble of an installation.
  const std::filesystem::path build = folder.parent_path().parent_path();
  if (build.filename() == "build") return {(build.parent_path() / "web/dist").string()};
  return {(folder.parent_path() / "share/tumble/web").string()};
}

}  // namespace

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

page::Bundle load_bundle() {
  std::string tried;
  for (const std::string& folder : bundle_folders()) {
    const core::Expected<std::string> html = core::read_file(folder + "/page.html");
    const core::Expected<std::string> script = core::read_file(folder + "/page.js");
    if (html && script) return {*html, *script};
    tried += (tried.empty() ? "" : " or ") + folder;
  }
  throw UsageError(
      "the page is not built: there are no page.html and page.js in " +
      (tried.empty() ? std::string("any folder beside the program") : tried) +
      "; ./tumble of a checkout builds it, or run npm ci and npm run build in web/; the variable "
      "TUMBLE_WEB names another folder");
}

std::vector<std::unique_ptr<MotionSource>> open_recordings(const std::vector<std::string>& paths) {
  std::vector<std::unique_ptr<MotionSource>> recordings;
  for (const std::string& path : paths) {
    if (lower_extension(path) != ".tumble")
      throw UsageError(path + ": a page shows recordings of type .tumble: run the scene with -o NAME.tumble");
    recordings.push_back(open_recording(path));
    if (recordings.back()->frame_count() > 0) continue;
    say(path + ": the recording has no frames");
    throw InputError{};
  }
  return recordings;
}

std::vector<page::ReportInput> report_inputs(const std::vector<std::unique_ptr<MotionSource>>& recordings,
                                             const std::vector<std::string>& names) {
  std::vector<page::ReportInput> inputs;
  for (size_t i = 0; i < recordings.size(); ++i)
    inputs.push_back({recordings[i]->recording(), &recordings[i]->model(), names[i]});
  return inputs;
}

}  // namespace tumble::app
