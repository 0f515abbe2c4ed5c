// The page as it is built from web/, and the recordings it shows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "motion_source.h"
#include "tumble/page/report.h"

namespace tumble::app {

/// Reads the built page: from the folder that TUMBLE_WEB names, else beside the program (share/tumble/web of
/// an installation, web/dist of the checkout). Throws UsageError if it is not there.
page::Bundle load_bundle();

/// The recordings of a page: the first one, and one that it is compared with. Throws UsageError for a file
/// that is no .tumble; faults inside are thrown as InputError.
std::vector<std::unique_ptr<MotionSource>> open_recordings(const std::vector<std::string>& paths);

/// For page::make_report. `names`: those of the recordings, as the reader of the page knows them.
std::vector<page::ReportInput> report_inputs(const std::vector<std::unique_ptr<MotionSource>>& recordings,
                                             const std::vector<std::string>& names);

/// The name of a file without its folder.
std::string file_name(const std::string& path);

}  // namespace tumble::app
