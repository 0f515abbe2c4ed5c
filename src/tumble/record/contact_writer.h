// The contacts of a run as CSV: for every frame, one row for each point that passed on an impulse since the frame before.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tumble/core/expected.h"
#include "tumble/math/types.h"
#include "tumble/record/failure.h"

namespace tumble::record {

struct ContactRow {
  double t = 0;                                                        // s, of the frame
  std::string a, b;                                                    // bodies
  math::Vec3 point = math::Vec3::Zero(), normal = math::Vec3::Zero();  // m; from b to a
  double gap = 0;                                                      // m
  double normal_impulse = 0;                                           // N s
  math::Vec3 impulse = math::Vec3::Zero();                             // N s, on a
  double slip = 0;                                                     // m/s
  std::string_view state;                                              // stick | slip | impact
  size_t patch = 0;                                                    // numbered in each frame
  math::Vec3 patch_impulse = math::Vec3::Zero();                       // N s, on a
  math::Vec3 patch_center = math::Vec3::Zero();                        // m
  double patch_moment = 0;                                             // N m s, about the normal there
};

namespace detail {
class OutputFile;
}

class ContactWriter {
 public:
  /// With keep_bytes > 0 an existing file is cut there (an offset() of an earlier run) and continued.
  static core::Expected<std::unique_ptr<ContactWriter>> open(const std::string& path, size_t keep_bytes = 0);
  ~ContactWriter();

  Failure write_row(const ContactRow& row);
  Failure flush();
  Failure finish();
  /// Length of the file once flushed, in bytes: what a checkpoint keeps.
  size_t offset() const;

 private:
  explicit ContactWriter(std::unique_ptr<detail::OutputFile> file);
  std::unique_ptr<detail::OutputFile> file_;
  std::string row_;  // scratch
};

}  // namespace tumble::record
