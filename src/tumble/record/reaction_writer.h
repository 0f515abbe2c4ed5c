// Mean reactions of joints as CSV, one row per frame: t, then for each joint NAME.fx .fy .fz .tx .ty .tz
// .effort.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tumble/core/expected.h"
#include "tumble/model/state.h"
#include "tumble/record/failure.h"

namespace tumble::record {

namespace detail {
class OutputFile;
}

class ReactionWriter {
 public:
  /// With keep_frames > 0 an existing file is truncated after that many rows and continued.
  static core::Expected<std::unique_ptr<ReactionWriter>> open(const std::string& path,
                                                              const model::Model& model, double fps,
                                                              size_t keep_frames = 0);
  ~ReactionWriter();

  /// `reactions`: model::kReactionSize numbers per joint (N, N m, effort), indexed like Model::joints().
  Failure write_row(double t, std::span<const double> reactions);
  Failure flush();
  /// Flushes and closes.
  Failure finish();
  const std::string& path() const;
  /// The time of the last row in the file on disk, s. Empty: none since it was opened.
  std::optional<double> written_until() const;

 private:
  ReactionWriter(std::unique_ptr<detail::OutputFile> file, size_t columns);
  std::unique_ptr<detail::OutputFile> file_;
  size_t columns_;   // without t
  std::string row_;  // scratch
};

}  // namespace tumble::record
