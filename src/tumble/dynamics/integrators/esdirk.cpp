#include "tumble/dynamics/integrators/esdirk.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "tumble/core/require.h"

namespace tumble::dynamics {

namespace {

constexpr int kStages = Esdirk::kStages;

constexpr double kStageTimes[kStages] = {0, 1.0 / 2, 83.0 / 250, 31.0 / 50, 17.0 / 20, 1};
constexpr double kStageWeights[kStages][kStages] = {
    {0, 0, 0, 0, 0, 0},
    {1.0 / 4, 1.0 / 4, 0, 0, 0, 0},
    {8611.0 / 62500, -1743.0 / 31250, 1.0 / 4, 0, 0, 0},
    {5012029.0 / 34652500, -654441.0 / 2922500, 174375.0 / 388108, 1.0 / 4, 0, 0},
    {15267082809.0 / 155376265600, -71443401.0 / 120774400, 730878875.0 / 902184768, 2285395.0 / 8070912,
     1.0 / 4, 0},
    {82889.0 / 524892, 0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211, 1.0 / 4}};
constexpr double kThirdOrder[kStages] = {4586570599.0 / 29645900160, 0,
                                         178811875.0 / 945068544,    814220225.0 / 1159782912,
                                         -3700637.0 / 11593932,      61727.0 / 225920};
constexpr double kErrorWeights[kStages] = {
    kStageWeights[5][0] - kThirdOrder[0], 0,
    kStageWeights[5][2] - kThirdOrder[2], kStageWeights[5][3] - kThirdOrder[3],
    kStageWeights[5][4] - kThirdOrder[4], kStageWeights[5][5] - kThirdOrder[5]};

// B of (2), by rows p = 1 to 4.
Eigen::Matrix<double, 4, kStages> make_dense_weights() {
  Eigen::Matrix<double, 5, kStages> conditions;
  Eigen::Matrix<double, 5, 4> wanted = Eigen::Matrix<double, 5, 4>::Zero();
  for (int i = 0; i < kStages; ++i) {
    conditions.col(i) << 1, kStageTimes[i], kStageTimes[i] * kStageTimes[i],
        kStageTimes[i] * kStageTimes[i] * kStageTimes[i], 0;
    for (int j = 0; j < kStages; ++j)
      conditions(4, i) += kStageWeights[i][j] * kStageTimes[j] * kStageTimes[j];
  }
  wanted(0, 0) = 1, wanted(1, 1) = 1.0 / 2, wanted(2, 2) = 1.0 / 3, wanted(3, 3) = 1.0 / 4,
            wanted(4, 3) = 1.0 / 12;
  Eigen::Matrix<double, 4, kStages> B =
      conditions.completeOrthogonalDecomposition().solve(wanted).transpose();
  for (int i = 0; i < kStages; ++i) B(3, i) += kStageWeights[kStages - 1][i] - B.col(i).sum();
  return B;
}

}  // namespace

const double (&Esdirk::a())[kStages][kStages] { return kStageWeights; }
const double (&Esdirk::c())[kStages] { return kStageTimes; }
const double (&Esdirk::error_weights())[kStages] { return kErrorWeights; }

void Esdirk::dense_weights(double x, double (&b)[kStages]) {
  static const Eigen::Matrix<double, 4, kStages> B = make_dense_weights();
  for (int i = 0; i < kStages; ++i) b[i] = x * (B(0, i) + x * (B(1, i) + x * (B(2, i) + x * B(3, i))));
}

Esdirk::Esdirk(size_t size, const StageNewtonParameters& newton) : newton_(newton) {
  for (std::vector<double>& k : slopes_) k.assign(size, 0.0);
  for (std::vector<double>* v : {&start_, &base_, &stage_, &change_, &end_, &error_, &shift_})
    v->assign(size, 0.0);
}

std::span<const double> Esdirk::prepare_start_slope(OdeSystem& system, double t, const double* y) {
  if (!start_slope_made_) system.compute_slope(t, y, slopes_[0].data());
  start_slope_made_ = true;
  return slopes_[0];
}

void Esdirk::start_with(std::span<const double> slope) {
  std::copy(slope.begin(), slope.end(), slopes_[0].begin());
  start_slope_made_ = true;
}

// Solves Y = base + g f(Y), from the guess in stage_.
bool Esdirk::solve_stage(OdeSystem& system, double t, double g) {
  double last = 0;
  for (int iteration = 0; iteration < newton_.max_iterations; ++iteration) {
    system.compute_slope(t, stage_.data(), change_.data());
    for (size_t i = 0; i < size(); ++i) change_[i] = base_[i] + g * change_[i] - stage_[i];
    system.newton_step(stage_.data(), change_.data());
    for (size_t i = 0; i < size(); ++i) stage_[i] += change_[i];
    const double now = norm_(change_.data());
    if (!std::isfinite(now)) return false;
    const double rate = iteration > 0 ? now / last : 1;
    if (now == 0 || (rate < 1 && now * rate / (1 - rate) < newton_.share_of_error) ||
        (iteration == 0 && now < newton_.at_once * newton_.share_of_error))
      return true;
    if (iteration > 0 && rate > newton_.stall) return now < newton_.share_of_error;
    last = now;
  }
  return false;
}

bool Esdirk::try_step(OdeSystem& system, double t, const double* y, double h) {
  TUMBLE_REQUIRE(norm_ != nullptr, "an implicit method needs a norm");
  prepare_start_slope(system, t, y);
  std::copy_n(y, size(), start_.data());
  h_ = h;
  const double g = h * kStageWeights[1][1];  // the diagonal weight, the same for all stages
  system.prepare_newton(t, y, g);
  std::fill(shift_.begin(), shift_.end(), 0.0);  // accept_at() sets it
  for (int i = 1; i < kStages; ++i) {
    base_ = start_;
    for (int j = 0; j < i; ++j)
      if (kStageWeights[i][j] != 0)
        for (size_t n = 0; n < size(); ++n) base_[n] += h * kStageWeights[i][j] * slopes_[j][n];
    // The initial guess uses the slope of the previous stage.
    for (size_t n = 0; n < size(); ++n) stage_[n] = base_[n] + g * slopes_[i - 1][n];
    if (!solve_stage(system, t + kStageTimes[i] * h, g)) return false;
    // Not f(stage): stiffness would amplify the error of the Newton iteration.
    for (size_t n = 0; n < size(); ++n) slopes_[i][n] = (stage_[n] - base_[n]) / g;
  }
  end_ = stage_;
  system.normalize(end_.data());
  for (size_t n = 0; n < size(); ++n) {
    double sum = 0;
    for (int i = 0; i < kStages; ++i) sum += kErrorWeights[i] * slopes_[i][n];
    error_[n] = h * sum;
  }
  return true;
}

void Esdirk::accept_at(const double* y) {
  for (size_t n = 0; n < size(); ++n) shift_[n] = y[n] - stage_[n];
  std::copy_n(y, size(), end_.data());
  start_slope_made_ = false;
}

void Esdirk::interpolate(OdeSystem& system, double x, double* y) {
  if (x >= 1) {
    std::copy(end_.begin(), end_.end(), y);
    return;
  }
  double b[kStages];
  dense_weights(x, b);
  for (size_t n = 0; n < size(); ++n) {
    double sum = 0;
    for (int i = 0; i < kStages; ++i) sum += b[i] * slopes_[i][n];
    y[n] = start_[n] + h_ * sum + x * shift_[n];
  }
  system.normalize(y);
}

}  // namespace tumble::dynamics
