// What a program sets while a scene runs: the pull of a mouse, where a drive is to go. A model is constant; these are read in every step, so set them
// between two steps, from the thread that makes them. The fast driver heeds them from the end of its next step on; the precise one from where it
// begins anew (`control = {}`).
#pragma once

#include "tumble/model/force_law.h"

namespace tumble::model {

/// A force at a body's centre of mass and a torque about it, world axes. Its work is counted.
class LiveWrench final : public ForceLaw {
 public:
  LiveWrench(std::string name, core::BodyId body) : ForceLaw(std::move(name), body) {}
  void apply(double, const BodyMotion&, const BodyMotion&, Wrench& on_a, Wrench&) const override {
    on_a.force += wrench.force;
    on_a.torque += wrench.torque;
  }

  Wrench wrench;
};

/// Where a drive goes: DriveSpec::live.
struct DriveAim {
  double target = 0;    // rad or m
  double velocity = 0;  // rad/s or m/s
};

}  // namespace tumble::model
