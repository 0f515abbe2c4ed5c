// tumble report: one HTML file that shows a recording without server and network.
#include <cstdio>

#include "exit_codes.h"
#include "outputs.h"
#include "page_bundle.h"
#include "report.h"
#include "tumble/page/tolerances.h"
#include "verbs.h"

namespace tumble::app {
namespace {

int report(const Arguments& arguments) {
  arguments.require_operands(1, 1);
  const std::optional<std::string> out = arguments.text("-o");
  if (!out || out->empty()) throw UsageError("name the page: -o page.html");
  if (const std::string extension = lower_extension(*out); extension != ".html" && extension != ".htm")
    throw UsageError(*out + ": a report is a page: give it the extension .html");
  std::vector<std::string> paths = {arguments.operands()[0]}, names;
  if (const auto other = arguments.text("--compare")) paths.push_back(*other);
  for (const std::string& path : paths) names.push_back(file_name(path));
  try {
    const page::Bundle bundle = load_bundle();
    const auto recordings = open_recordings(paths);
    const core::Expected<page::Report> made =
        page::make_report(bundle, report_inputs(recordings, names),
                          {.all_contacts = arguments.is_on("--contacts").value_or(false),
                           .velocities = arguments.is_on("--velocities").value_or(false)});
    if (!made) print_diagnostics(with_file(made.diagnostics(), paths[0]));
    if (!made) return kExitBadInput;
    const int exit_code = write_whole(*out, made->html);
    if (exit_code != kExitDone) return exit_code;
    for (const std::string& note : made->notes) say("warning: " + note);
    const double megabytes = static_cast<double>(made->html.size()) / page::kMegabyte;
    if (made->html.size() > page::kLargeReport)
      say("warning: " + *out + " has " + brief(megabytes) +
          " MB, which browsers open slowly; a lower --fps of the run makes it smaller");
    say("wrote " + *out + ", " + brief(megabytes) + " MB");
    return kExitDone;
  } catch (const InputError& fault) {
    return fault.exit_code;
  }
}

}  // namespace

Verb report_verb() {
  return {"report",
          "RUN.tumble -o PAGE.html",
          "write one page with a recording, its plots and promises; it opens without server and network",
          {{"-o", "PAGE.html", "the page"},
           {"--compare", "OTHER.tumble", "show a second recording as ghost, with the difference"},
           {"--contacts", "", "keep contacts even where they need much room"},
           {"--velocities", "", "store velocities; without them the page takes differences of positions"}},
          report};
}

}  // namespace tumble::app
