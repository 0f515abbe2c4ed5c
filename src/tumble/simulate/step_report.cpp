#include "tumble/simulate/step_report.h"

#include "tumble/core/diagnostic.h"

namespace tumble::simulate {

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
