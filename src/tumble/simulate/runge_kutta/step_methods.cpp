#include "tumble/simulate/runge_kutta/step_methods.h"

namespace tumble::simulate {

void StepMethods::choose(bool implicit, bool continues) {
  dynamics::StepMethod* const last = in_use_;
  in_use_ = &explicit_;
  if (implicit) {
    if (!implicit_) {
      implicit_.emplace(explicit_.result().size(), newton_);
      implicit_->set_norm(norm_);
    }
    in_use_ = &*implicit_;
  }
  if (!continues || in_use_ != last) in_use_->restart();
}

}  // namespace tumble::simulate
