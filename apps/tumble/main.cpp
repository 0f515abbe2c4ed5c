// The command line program: finds the verb, calls it, and turns faults into an exit code.
#include <cstdio>
#include <string>
#include <vector>

#include "exit_codes.h"
#include "interrupt.h"
#include "report.h"
#include "run_options.h"
#include "tumble/core/diagnostic.h"
#include "tumble/core/version.h"
#include "verbs.h"

namespace tumble::app {
namespace {

std::string overview(const std::vector<Verb>& verbs) {
  std::string text =
      "tumble: a rigid body simulator\n\n"
      "usage: tumble VERB ...\n\n";
  for (const Verb& verb : verbs) {
    std::string left = "  " + verb.name + " " + verb.operands;
    left.resize(std::max<size_t>(left.size() + 1, 44), ' ');
    text += left + verb.summary + "\n";
  }
  return text +
         "\n"
         "  tumble VERB --help   list the flags of a verb\n"
         "  tumble --version     print the version and the build\n"
         "  tumble examples      list scenes to start from\n";
}

int run_program(const std::vector<std::string>& words) {
  const std::vector<Verb> verbs = {run_verb(),  check_verb(),  info_verb(),    view_verb(),    render_verb(),
                                   plot_verb(), report_verb(), convert_verb(), examples_verb()};
  if (words.empty()) {
    std::fputs(overview(verbs).c_str(), stderr);
    return kExitWrongUse;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    std::fputs(overview(verbs).c_str(), stdout);
    return kExitDone;
  }
  if (words[0] == "--version") {
    std::printf("tumble %s (%s, %s, %s)\n", core::kVersion, core::kInstructionSet, core::kCompiler,
                core::kBuildType);
    return kExitDone;
  }
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    names.push_back(verb.name);
    if (verb.name != words[0]) continue;
    for (const std::string& word : words)
      if (word == "--help" || word == "-h") {
        std::fputs(help_text(verb).c_str(), stdout);
        return kExitDone;
      }
    try {
      return verb.call(Arguments(verb, {words.begin() + 1, words.end()}));
    } catch (const SceneFault& fault) {
      print_diagnostics(fault.diagnostics);
      return exit_code_of(fault.diagnostics);
    } catch (const UsageError& error) {
      say(std::string(error.what()) + " (tumble " + verb.name + " --help lists the flags)");
      return kExitWrongUse;
    }
  }
  if (words[0] == "rig") {
    say("rig is not part of this version yet; tumble --help lists the verbs");
    return kExitWrongUse;
  }
  const std::string near = core::nearest_name(words[0], names);
  say("there is no verb \"" + words[0] + "\"" + (near.empty() ? "" : "; did you mean " + near + "?") +
      " (tumble --help lists them)");
  return kExitWrongUse;
}

}  // namespace
}  // namespace tumble::app

int main(int argc, char** argv) {
  using namespace tumble::app;
  occupy_standard_streams();
  report_failed_writes();
  int exit_code = kExitNotHeld;
  try {
    exit_code = run_program({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    // A broken precondition inside the program. Faults of the input are reported above.
    say(std::string("internal error: ") + error.what());
  }
  return close_stdout(exit_code);
}
