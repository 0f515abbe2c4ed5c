// What the motion fills: where a camera of the page must look.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "tumble/model/model.h"
#include "tumble/model/state.h"

namespace tumble::page::detail {

/// The boxes of bodies over the frames of a run. A body that is far away from the others does not count
/// meanwhile, by the rule of view::Framing: otherwise one that flies away would make all others small.
class Focus {
 public:
  using Box = Eigen::AlignedBox3d;

  explicit Focus(const model::Model& model);

  void measure(const model::State& state);
  /// Frames that were measured so far have bodies that are far away: they must be measured again.
  bool needs_second_pass() const;
  void begin_second_pass();

  /// Of bodies that move, or of all that are not fixed if none does.
  std::vector<Box> boxes() const;

 private:
  struct Path {
    bool is_shown = false, moves = false;
    math::Vec3 position;     // at first, m
    math::Quat orientation;  // at first
    Box box;                 // of all of the body
  };
  bool is_shown(const model::State& state, size_t body) const;

  const model::Model& model_;
  std::vector<Path> paths_;
  bool is_first_ = true, is_second_pass_ = false;
  double spread_ = 0;    // m; 0: too few bodies
  double farthest_ = 0;  // m
};

}  // namespace tumble::page::detail
