// --show and --wireframe: what is drawn on demand.
#pragma once

#include <memory>

#include "draw_pictures.h"
#include "drawn_motion.h"

namespace tumble::app {

std::vector<Flag> mark_flags();

/// What --show asks for.
struct MarkRequest {
  bool contacts = false, forces = false, joints = false, springs = false, names = false, skeleton = false,
       grid = false;
  bool wireframe = false;
  bool any() const { return contacts || forces || joints || springs || names || skeleton; }
};
/// Throws UsageError.
MarkRequest read_marks(const Arguments& arguments);

/// Adds the marks to pictures. Arrows have the same scale in all pictures of a motion.
class Marks {
 public:
  /// Throws UsageError if the source does not have what is asked for. size: m, radius of what is shown.
  Marks(const MarkRequest& request, DrawnMotion& motion, const std::vector<double>& times, double size);
  /// For the time that the motion shows.
  void add(const DrawnMotion& motion, Shot& shot) const;

 private:
  MarkRequest request_;
  double size_;
  double scale_ = 0;  // m/N
};

}  // namespace tumble::app
