#include "tumble/simulate/step_report.h"

#include "tumble/core/diagnostic.h"

namespace tumble::simulate {

namespace {

// A script of a body is named after the body, a script of a joint after the joint.
std::string script_owner(const model::Constraint& script) {
  const bool of_body = script.type() == "script";
  return (of_body ? "body \"" : "joint \"") + script.name() + "\"";
}

}  // namespace

std::string describe(const StepReport& report, const model::Model& model, double time) {
  std::string text = "t = " + core::brief_number(time) + " s: ";
  if (report.body.valid()) text += "body \"" + model.body(report.body).name + "\": ";
  switch (report.status) {
    case StepStatus::done:
      return text + "done";
    case StepStatus::step_too_small:
      return text +
             "no step is short enough to hold the accuracy; the motion is singular here (do two attracting "
             "bodies meet, is a stiffness far too large, or does a script drive a linkage beyond its reach?)";
    case StepStatus::not_finite:
      return text + "the motion is no longer a finite number (do two attracting bodies meet?)";
    case StepStatus::joints_open:
      return text + "joint \"" + report.joint->name() +
             "\" cannot be kept closed together with the other joints and limits; they contradict each "
             "other, or a fixed step is far too long";
    case StepStatus::jammed:
      return text + "bodies \"" + model.body(report.near_a).name + "\" and \"" +
             model.body(report.near_b).name + "\" are jammed: the script of " + script_owner(*report.joint) +
             " presses them together, and there is no room left; leave room, end the script earlier, or use "
             "a <drive> with max-force";
    case StepStatus::held:
      return text + "bodies had to be held in place too often to keep them apart";
    case StepStatus::stalled:
      return text + "steps have become a thousand times shorter than they were, and stay so";
    case StepStatus::energy_gained:
      return text + "energy grew by far more than the accuracy allows";
    case StepStatus::diverged:
      return text +
             "the motion is no longer a finite number (is a force without bounds, or a stiffness far too "
             "large?)";
    case StepStatus::input_refused:
      return text + "an input is refused";
  }
  return text;
}

}  // namespace tumble::simulate
