#include "tumble/page/promises.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tumble/page/tolerances.h"

namespace tumble::page::detail {

namespace {

// Columns of the log: their places in log_columns().
constexpr size_t kTime = 0, kEnergy = 4, kPenetration = 12, kJointError = 13, kWork = 15;

std::string brief(double value) { return core::brief_number(value, 3); }

class Judge {
 public:
  Judge(const record::Recording& recording, const model::Model& model, const LogTable& log)
      : recording_(recording),
        model_(model),
        log_(log),
        summary_(nlohmann::json::parse(recording.summary_json(), nullptr, false)),
        accuracy_(recording.info().accuracy) {}

  std::vector<Promise> find() {
    judge_energy();
    judge_joints();
    judge_penetration();
    judge_holds();
    judge_residual();
    judge_losses();
    judge_estimate();
    // A breach of which only the worst moment is known.
    for (Promise& promise : promises_)
      if (!promise.held && !(promise.breach && promise.breach->t)) promise.breach = promise.worst;
    return std::move(promises_);
  }

 private:
  std::optional<double> number(const char* key) const {
    if (!summary_.is_object()) return std::nullopt;
    const auto found = summary_.find(key);
    return found != summary_.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
  }
  std::string stopped() const {
    const auto found = summary_.is_object() ? summary_.find("stopped") : summary_.end();
    return summary_.is_object() && found != summary_.end() && found->is_string() ? found->get<std::string>()
                                                                                 : "";
  }
  // The first warning that begins so.
  const std::string* warning(std::string_view kind) const {
    for (const std::string& text : recording_.warnings())
      if (text.starts_with(kind)) return &text;
    return nullptr;
  }
  bool is_fast() const { return recording_.info().method == "fast"; }
  // A fixed step of the precise method promises nothing, and Baumgarte's method lets joints drift.
  bool has_promise() const {
    return is_fast() || !(recording_.info().fixed_step > 0 || model_.run_options().baumgarte);
  }

  // The row with the largest entry of a column, if that is above 0.
  std::optional<Moment> largest(size_t column) const {
    if (log_.rows == 0) return std::nullopt;
    const auto begin = log_.columns.begin() + static_cast<std::ptrdiff_t>(column * log_.rows);
    const auto most = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(log_.rows));
    if (!(*most > 0)) return std::nullopt;
    return Moment{log_.at(kTime, static_cast<size_t>(most - begin))};
  }
  // The first row whose entry is above a bound.
  std::optional<Moment> first_above(size_t column, double bound) const {
    for (size_t row = 0; row < log_.rows; ++row)
      if (log_.at(column, row) > bound) return Moment{log_.at(kTime, row)};
    return std::nullopt;
  }

  void judge_energy() {
    const auto gain = number("max_energy_gain"), scale = number("energy_scale");
    if (!gain || !scale) return;
    Promise promise{.name = "energy gain", .unit = "of the energy scale", .value = *gain};
    const double bound = std::max(kEnergyWarned * accuracy_, kLeastWarned);
    const double end = std::max(kEnergyAllowed * accuracy_, kLeastAllowed);
    promise.says = "Energy less work never rises above its least value so far";
    if (has_promise()) {
      promise.bound = bound;
      promise.held = *gain <= bound;
      promise.says += " by more than " + brief(bound) + " of the energy scale, " + brief(*scale) +
                      " J; above " + brief(end) + " the run ends.";
    } else {
      promise.says += "; a fixed step or Baumgarte's method promises nothing about it.";
    }
    double least = log_.rows > 0 ? log_.at(kEnergy, 0) - log_.at(kWork, 0) : 0, most = 0;
    std::optional<double> worst, breach;
    for (size_t row = 0; row < log_.rows; ++row) {
      const double balance = log_.at(kEnergy, row) - log_.at(kWork, row);
      least = std::min(least, balance);
      if (balance - least > most) most = balance - least, worst = log_.at(kTime, row);
      if (!breach && balance - least > bound * *scale) breach = log_.at(kTime, row);
    }
    if (worst) promise.worst = Moment{worst};
    if (!promise.held) {
      promise.breach = Moment{breach};
      if (const std::string* text = warning("energy grew")) promise.breach = read_moment(*text);
      if (const Moment end_of_run = read_moment(stopped());
          stopped().find("energy grew") != std::string::npos)
        promise.breach->bodies = end_of_run.bodies;
    }
    promises_.push_back(promise);
  }

  void judge_joints() {
    if (model_.constraints().empty()) return;
    double value = number("max_joint_error").value_or(0), size = 0;
    for (size_t row = 0; row < log_.rows; ++row) value = std::max(value, log_.at(kJointError, row));
    for (const auto& constraint : model_.constraints()) size = std::max(size, model_.size_of(*constraint));
    Promise promise{.name = "joint gap", .unit = "m", .value = value};
    promise.worst = largest(kJointError);
    promise.says = "No joint is open by more than the accuracy times the size of its bodies";
    if (has_promise()) {
      const std::string* text = warning("a joint was open");
      promise.bound = accuracy_ * size;
      promise.held =
          !text && value <= *promise.bound && stopped().find("cannot be kept closed") == std::string::npos;
      promise.says += ", which is " + brief(*promise.bound) + " m for the largest.";
      if (!promise.held)
        promise.breach = text ? read_moment(*text)
                              : first_above(kJointError, *promise.bound).value_or(read_moment(stopped()));
    } else {
      promise.says += "; a fixed step or Baumgarte's method promises nothing about it.";
    }
    promises_.push_back(promise);
  }

  void judge_penetration() {
    if (!is_fast()) return;  // precise does not simulate contact
    double value = number("max_penetration").value_or(0);
    for (size_t row = 0; row < log_.rows; ++row) value = std::max(value, log_.at(kPenetration, row));
    Promise promise{.name = "penetration", .unit = "m", .value = value, .bound = 0.0};
    promise.held = value <= 0;
    promise.worst = largest(kPenetration);
    if (!promise.held) promise.breach = first_above(kPenetration, 0).value_or(Moment{});
    promise.says = "No body enters another, where the independent checker looks (--verify).";
    promises_.push_back(promise);
  }

  void judge_holds() {
    const auto holds = number("holds"), freezes = number("freezes"), steps = number("steps");
    if (!is_fast() || !holds || !freezes || !steps) return;
    Promise promise{.name = "holds", .value = *holds, .bound = std::max(kHoldsAllowed, kHeldShare * *steps)};
    promise.held = *holds <= *promise.bound && stopped().find("held in place") == std::string::npos;
    if (const std::string* text = warning("bodies were held")) {
      promise.worst = read_moment(*text);
      if (!promise.held) promise.breach = read_moment(stopped());
    }
    promise.says = "Bodies are hardly ever held in place to keep them apart: at most " +
                   brief(*promise.bound) + " times in " + brief(*steps) + " steps; " + brief(*freezes) +
                   " holds spread to others.";
    promises_.push_back(promise);
  }

  void judge_residual() {
    const auto residual = number("residual");
    if (!is_fast() || !residual) return;
    Promise promise{.name = "contact residual", .value = *residual, .bound = kResidualWarned};
    promise.held = *residual <= kResidualWarned;
    if (const std::string* text = warning("contact was not solved"); text && !promise.held)
      promise.breach = read_moment(*text);
    promise.says = "The contact problem of every step is solved to " + brief(kResidualWarned) +
                   " of the largest impulse.";
    promises_.push_back(promise);
  }

  void judge_losses() {
    const auto scale = number("energy_scale");
    if (const auto loss = number("numerical_loss"); is_fast() && loss && scale) {
      Promise promise{.name = "numerical loss", .unit = "J", .value = *loss};
      promise.bound = kEnergyWarned * accuracy_ * *scale;
      promise.held = *loss <= *promise.bound;
      if (const std::string* text = warning("damping of springs"); text && !promise.held)
        promise.breach = read_moment(*text);
      promise.says = "Damping of springs that steps do not resolve takes little energy.";
      promises_.push_back(promise);
    }
    if (const auto loss = number("impact_loss"); is_fast() && loss) {
      Promise promise{.name = "impact loss", .unit = "J", .value = *loss, .bound = 0.0};
      promise.held = *loss <= 0;
      if (const std::string* text = warning("impacts did not end"); text && !promise.held)
        promise.breach = read_moment(*text);
      promise.says = "Impacts end by themselves; the last resort of the impact law takes no energy.";
      promises_.push_back(promise);
    }
  }

  void judge_estimate() {
    const auto found = summary_.is_object() ? summary_.find("error_estimate") : summary_.end();
    if (!summary_.is_object() || found == summary_.end() || !found->is_object()) return;
    const auto add = [&](const char* name, const char* key, const char* of_frame, const char* unit) {
      const auto value = found->find(key);
      if (value == found->end() || !value->is_number()) return;
      Promise promise{.name = name, .unit = unit, .value = value->get<double>()};
      const auto frames = found->find("frames");
      if (frames != found->end() && frames->is_array())
        for (const auto& frame : *frames)
          if (!promise.worst && frame.is_object() && frame.value(of_frame, -1.0) == promise.value)
            promise.worst = Moment{frame.value("t", 0.0)};
      promise.says =
          "Difference to a run with a tenth of the accuracy number; errors grow as the motion amplifies "
          "them.";
      promises_.push_back(promise);
    };
    add("estimated position error", "max_position_error", "position_error", "m");
    add("estimated angle error", "max_angle_error", "angle_error", "rad");
  }

  const record::Recording& recording_;
  const model::Model& model_;
  const LogTable& log_;
  nlohmann::json summary_;
  double accuracy_;
  std::vector<Promise> promises_;
};

// The text between the quote at `at` and the next one.
std::string quoted_at(const std::string& text, size_t at) {
  const size_t end = text.find('"', at + 1);
  return end == std::string::npos ? "" : text.substr(at + 1, end - at - 1);
}

}  // namespace

Moment read_moment(const std::string& message) {
  Moment moment;
  if (const size_t at = message.find("t = "); at != std::string::npos) {
    double t = 0;
    const char* const begin = message.data() + at + 4;
    const auto [end, error] = std::from_chars(begin, message.data() + message.size(), t);
    if (error == std::errc() && std::isfinite(t)) moment.t = t;
  }
  if (const size_t two = message.find("bodies \""); two != std::string::npos) {
    moment.bodies.push_back(quoted_at(message, two + 7));
    const size_t second = two + 8 + moment.bodies[0].size();
    if (message.substr(std::min(second, message.size())).starts_with("\" and \""))
      moment.bodies.push_back(quoted_at(message, second + 6));
  } else if (const size_t one = message.find("body \""); one != std::string::npos) {
    moment.bodies.push_back(quoted_at(message, one + 5));
  }
  if (const size_t at = message.find("joint \""); at != std::string::npos)
    moment.joint = quoted_at(message, at + 6);
  return moment;
}

std::vector<Promise> find_promises(const record::Recording& recording, const model::Model& model,
                                   const LogTable& log) {
  return Judge(recording, model, log).find();
}

}  // namespace tumble::page::detail
