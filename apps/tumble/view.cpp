// tumble view: shows a recording in a browser, from a server on this machine. A scene is run first.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "exit_codes.h"
#include "interrupt.h"
#include "page_bundle.h"
#include "report.h"
#include "run_options.h"
#include "tumble/core/files.h"
#include "tumble/record/whole_file.h"
#include "tumble/serve/server.h"
#include "verbs.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every C library declares it

namespace tumble::app {
namespace {

constexpr std::chrono::milliseconds kLookForCtrlC{100};
constexpr size_t kMostPorts = 65535;

// A folder for files that only this user can read. It is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "tumble-view-XXXXXX").string();
    if (!error && ::mkdtemp(name.data())) path_ = name;
    if (path_.empty()) throw UsageError("there is no folder for temporary files; TMPDIR names one");
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Runs a scene into a recording, with the flags of `view`. Returns the exit code of the run.
int run_scene(const std::string& scene, const std::string& recording, const Arguments& arguments) {
  const Verb run = run_verb();
  std::vector<std::string> words = {scene, "-o", recording};
  for (const Flag& flag : motion_flags())
    for (const std::string& value : arguments.all(flag.name)) {
      words.push_back(flag.name);
      words.push_back(value);
    }
  return run.call(Arguments(run, words));
}

// Opens the address in a browser, if this is a desktop. The address is in a file: other users of the machine
// could read it in the list of processes.
bool open_browser(const std::string& url, const TemporaryFolder& folder) {
  const char *x11 = std::getenv("DISPLAY"), *wayland = std::getenv("WAYLAND_DISPLAY");
  if (!(x11 && *x11) && !(wayland && *wayland)) return false;
  const std::string file = folder / "open.html";
  if (record::write_whole_file(file,
                               "<!DOCTYPE html><meta charset=\"utf-8\"><title>tumble</title>"
                               "<meta http-equiv=\"refresh\" content=\"0; url=" +
                                   url + "\">\n"))
    return false;
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", O_RDWR, 0);
  std::string program = "xdg-open", operand = file;
  char* const words[] = {program.data(), operand.data(), nullptr};
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, "xdg-open", &quiet, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&quiet);
  return error == 0;
}

// What the server hands out, by name.
class Site {
 public:
  Site(page::Bundle bundle, std::vector<std::unique_ptr<MotionSource>> recordings,
       std::vector<std::string> names)
      : bundle_(std::move(bundle)), recordings_(std::move(recordings)), names_(std::move(names)) {
    for (size_t i = 0; i < recordings_.size(); ++i) {
      core::Expected<page::Parts> parts =
          page::Parts::create(*recordings_[i]->recording(), recordings_[i]->model(),
                              {.compare = i == 0 && recordings_.size() > 1, .file = names_[i]});
      if (!parts) print_diagnostics(with_file(parts.diagnostics(), names_[i]));
      if (!parts) throw InputError{};
      parts_.push_back(std::move(parts).value());
    }
  }

  std::optional<serve::Answer> find(std::string_view name) const {
    if (name.empty()) return serve::Answer{"text/html; charset=utf-8", bundle_.html};
    if (name == "page.js") return serve::Answer{"text/javascript; charset=utf-8", bundle_.script};
    if (name == "page.html") return make_report();
    if (name.size() < 2 || name[1] != '/' || name[0] < '0') return std::nullopt;
    const auto index = static_cast<size_t>(name[0] - '0');
    if (index >= parts_.size()) return std::nullopt;
    name.remove_prefix(2);
    const auto part = parts_[index].find(name);
    if (!part) return std::nullopt;
    if (!*part) return failure(part->diagnostics());
    return serve::Answer{name == "run.json"    ? "application/json"
                         : name == "scene.glb" ? "model/gltf-binary"
                                               : "application/octet-stream",
                         **part};
  }

 private:
  serve::Answer make_report() const {
    core::Expected<page::Report> report = page::make_report(bundle_, report_inputs(recordings_, names_));
    if (!report) return failure(report.diagnostics());
    for (const std::string& note : report->notes) say("page.html: " + note);
    return {"text/html; charset=utf-8", std::move(report->html)};
  }
  static serve::Answer failure(const core::Diagnostics& diagnostics) {
    print_diagnostics(diagnostics);
    return {"text/plain; charset=utf-8", to_string(diagnostics.front()) + "\n", 500};
  }

  page::Bundle bundle_;
  std::vector<std::unique_ptr<MotionSource>> recordings_;
  std::vector<std::string> names_;
  std::vector<page::Parts> parts_;
};

int view(const Arguments& arguments) {
  arguments.require_operands(1, 1);
  const size_t port = arguments.count("--port").value_or(0);
  if (port > kMostPorts) throw UsageError("--port: must be at most " + std::to_string(kMostPorts));
  page::Bundle bundle = load_bundle();
  const TemporaryFolder folder;
  const std::string& operand = arguments.operands()[0];
  std::vector<std::string> paths = {operand}, names = {file_name(operand)};
  const std::string extension = lower_extension(operand);
  if (extension == ".xml") {
    paths[0] = folder / "run.tumble";
    names[0] = std::filesystem::path(operand).stem().string() + ".tumble";
    const int exit_code = run_scene(operand, paths[0], arguments);
    std::error_code error;
    if (interrupted_by() != 0 || !std::filesystem::exists(paths[0], error)) return exit_code;
    if (exit_code != kExitDone) say("showing what the run has");
  } else {
    for (const Flag& flag : motion_flags())
      if (arguments.has(flag.name))
        throw UsageError(flag.name + " belongs to a run, but " + operand + " is a recording");
  }
  if (const auto other = arguments.text("--compare")) {
    paths.push_back(*other);
    names.push_back(file_name(*other));
  }
  try {
    const Site site(std::move(bundle), open_recordings(paths), names);
    watch_for_interrupts();
    core::Expected<serve::Server> server = serve::Server::open(
        static_cast<uint16_t>(port), [&site](std::string_view name) { return site.find(name); });
    if (!server) throw UsageError(server.diagnostics().front().message);
    const bool opened = !arguments.is_on("--no-open").value_or(false) && open_browser(server->url(), folder);
    std::printf("%s\n", server->url().c_str());
    if (std::fflush(stdout) != 0) return kExitNotHeld;
    say(std::string(opened ? "opening the page in the browser" : "open this address in a browser") +
        "; Ctrl-C ends it");
    while (interrupted_by() == 0) server->run_for(kLookForCtrlC);
    return 128 + interrupted_by();
  } catch (const InputError& fault) {
    return fault.exit_code;
  }
}

}  // namespace

Verb view_verb() {
  Verb verb{"view",
            "RECORDING|SCENE",
            "show a recording (.tumble) in a browser; a scene is run first",
            {{"--compare", "OTHER.tumble", "show a second recording as ghost, with the difference"},
             {"--port", "N", "serve the page on this port of 127.0.0.1 (default: any that is free)"},
             {"--no-open", "", "print the address, open no browser"}},
            view};
  const std::vector<Flag> flags = motion_flags();
  verb.flags.insert(verb.flags.end(), flags.begin(), flags.end());
  return verb;
}

}  // namespace tumble::app
