// Files whose columns can be plotted: a .tumble, or a CSV that a run or another program wrote.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/plot/series.h"
#include "tumble/record/recording.h"

namespace tumble::plot {

enum class SourceKind { recording, log, frames, reactions, contacts, table };

class Source {
 public:
  virtual ~Source() = default;
  virtual SourceKind kind() const = 0;
  /// The abscissa: "time (s)" for all files of a run.
  virtual std::string x_title() const = 0;
  virtual std::string x_unit() const = 0;
  /// Names of the columns that can be read, in the order of the file.
  virtual const std::vector<std::string>& names() const = 0;
  bool has(const std::string& name) const;
  /// Columns that have words, which cannot be plotted.
  virtual const std::vector<std::string>& words() const = 0;
  /// Columns by name, in this order. All must be in names().
  virtual core::Expected<std::vector<Series>> read(const std::vector<std::string>& names) const = 0;
};

/// The columns of a CSV file. Of a file of contacts also `contacts.count` and `contacts.force`, sums over the
/// points of each frame.
core::Expected<std::unique_ptr<Source>> open_csv(const std::string& path);

/// The columns that the CSV files of the same run have: those of the log, of the frames, and, if the
/// recording has them, of reactions and contacts. `recording` and its model must outlive the source.
std::unique_ptr<Source> open_recording(const record::Recording& recording, const model::Model& model);

}  // namespace tumble::plot
