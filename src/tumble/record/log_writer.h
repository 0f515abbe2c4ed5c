// The log of a run: one row per step at which the whole scene stands at one time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/math/types.h"
#include "tumble/record/failure.h"

namespace tumble::record {

struct LogRow {
  double t = 0;                                      // s
  double h = 0;                                      // s, the step that led here
  double kinetic = 0, potential = 0, energy = 0;     // J
  math::Vec3 momentum = math::Vec3::Zero();          // kg m/s, of the whole scene
  math::Vec3 angular_momentum = math::Vec3::Zero();  // kg m^2/s, about the world's origin
  size_t contacts = 0;
  double max_penetration = 0;         // m
  double max_joint_error = 0;         // m
  size_t impacts = 0;                 // so far
  double work = 0;                    // J, so far, of all force laws whose work is counted
  std::vector<double> work_by_force;  // J, so far, indexed like Model::forces()
};

namespace detail {
class OutputFile;
}

/// Writes `t,h,kinetic,...,impacts,work,work.NAME...` as CSV. Rows are buffered: flush() before a checkpoint.
class LogWriter {
 public:
  /// With keep_bytes > 0 an existing file is cut there (an offset() of an earlier run) and continued; a file
  /// that does not exist is begun anew. Refuses a file whose columns are others.
  static core::Expected<std::unique_ptr<LogWriter>> open(const std::string& path,
                                                         const std::vector<std::string>& force_names,
                                                         size_t keep_bytes = 0);
  ~LogWriter();

  Failure write_row(const LogRow& row);
  /// Everything written so far reaches the file.
  Failure flush();
  /// Flushes and closes.
  Failure finish();
  /// Length of the file once flushed, in bytes: what a checkpoint keeps.
  size_t offset() const;
  const std::string& path() const;

 private:
  LogWriter(std::unique_ptr<detail::OutputFile> file, size_t forces);
  std::unique_ptr<detail::OutputFile> file_;
  size_t forces_;
  std::string row_;  // scratch
};

}  // namespace tumble::record
