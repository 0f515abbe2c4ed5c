// One HTML file with the page, its script and all parts of a recording: it needs no server and no network.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tumble/page/parts.h"

namespace tumble::page {

/// The built page: web/dist. In `html` the comment <!-- parts --> is replaced by the parts, and
/// <script src="page.js"></script> by the script itself.
struct Bundle {
  std::string html, script;
};

struct ReportOptions {
  bool all_contacts = false;  // keep contacts however many bytes they need
  bool velocities = false;    // 13 numbers per body instead of 7
};

struct Report {
  std::string html;
  std::vector<std::string> notes;  // what was left out
};

/// A recording and the model of its scene.
struct ReportInput {
  const record::Recording* recording = nullptr;
  const model::Model* model = nullptr;
  std::string file = {};  // the name of the recording
};

/// The first input is the recording, a second one is compared with it.
core::Expected<Report> make_report(const Bundle& bundle, const std::vector<ReportInput>& inputs,
                                   const ReportOptions& options = {});

}  // namespace tumble::page
