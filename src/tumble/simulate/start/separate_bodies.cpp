#include "tumble/simulate/start/separate_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "tumble/collision/depenetration.h"
#include "tumble/collision/overlap_checker.h"
#include "tumble/contact/contact_law.h"
#include "tumble/contact/pair_tracker.h"
#include "tumble/dynamics/joint_projection.h"
#include "tumble/simulate/scales.h"

namespace tumble::simulate {

using core::BodyId;
using core::brief_number;
using math::Mat3;
using math::Vec3;
using model::State;

namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;

// One row of N: the derivative of a gap by the displacements of two bodies, and its shortfall. Or a row of T:
// the same along a tangent.
struct GapRow {
  BodyId a, b;
  Vec6 of_a, of_b;       // a displacement of b changes the gap by minus of_b
  double shortfall = 0;  // m, contact offset - gap
  bool tangent = false;
};

// Solves (1) for one configuration of the bodies.
class LeastDisplacement {
 public:
  LeastDisplacement(const model::Model& model, const State& state, dynamics::ConstraintSolver& joints,
                    const StartParameters& par)
      : model_(model), joints_(joints), par_(par) {
    std::vector<model::BodyMotion> motions;
    for (size_t i = 0; i < model.bodies().size(); ++i) {
      motions.push_back(body_motion(model, state, BodyId(i)));
      const Mat3& R = motions.back().rotation;
      inverse_inertias_.push_back(R * model.bodies()[i].inverse_inertia_B * R.transpose());
    }
    if (joints.empty()) return;
    joints.factor(state.time, motions);
    twists_.resize(6 * joints.graph().nodes.size());
    rows_.resize(joints.rows());
  }

  // Displacements of all bodies, 6 numbers each: of the centre, and a rotation vector.
  const std::vector<double>& solve(const std::vector<GapRow>& rows) {
    const auto n = static_cast<Eigen::Index>(rows.size());
    // Scaled so that without joints A has a diagonal of ones.
    Eigen::VectorXd shortfall(n), scale(n), compliance(n), least(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const GapRow& row = rows[static_cast<size_t>(i)];
      shortfall[i] = row.shortfall;
      scale[i] = 1 / math::sqrt(mobility(row.a, row.of_a) + mobility(row.b, row.of_b));
      compliance[i] = row.tangent ? par_.tangent_compliance / scale[i] : 0;
      least[i] = row.tangent ? -std::numeric_limits<double>::infinity() : 0;
    }
    const auto times_A = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
      return apply(rows, scale.cwiseProduct(x)) + compliance.cwiseProduct(x);
    };
    const auto is_solved = [&](const Eigen::VectorXd& x) {
      const Eigen::VectorXd left = shortfall - times_A(x);
      for (Eigen::Index i = 0; i < n; ++i)
        if ((compliance[i] > 0 ? std::abs(left[i]) : left[i]) > par_.pass_residual * shortfall.maxCoeff())
          return false;
      return true;
    };
    Eigen::VectorXd l = Eigen::VectorXd::Zero(n), extrapolated = l, last, gradient;
    double lipschitz = 1, momentum = 1;
    for (int k = 0; k < par_.max_steps; ++k) {
      gradient = scale.cwiseProduct(times_A(extrapolated) - shortfall);
      // Backtracking: the step must not exceed the curvature bound.
      last = l;
      for (;; lipschitz *= 2) {
        l = (extrapolated - gradient / lipschitz).cwiseMax(least);
        const Eigen::VectorXd step = l - extrapolated;
        if (!(step.dot(scale.cwiseProduct(times_A(step))) >
              lipschitz * step.squaredNorm() * (1 + par_.curvature_round_off)))
          break;
      }
      const bool uphill = gradient.dot(l - last) > 0;
      const double next = uphill ? 1 : 0.5 * (1 + math::sqrt(1 + 4 * momentum * momentum));
      extrapolated = uphill ? l : Eigen::VectorXd(l + (momentum - 1) / next * (l - last));
      momentum = next;
      if (k % 8 == 7 && is_solved(l)) break;
    }
    apply(rows, scale.cwiseProduct(l));
    return displacement_;
  }

 private:
  double mobility(BodyId body, const Vec6& row) const {
    return model_.body(body).inverse_mass * row.head<3>().squaredNorm() +
           row.tail<3>().dot(inverse_inertias_[body.index()] * row.tail<3>());
  }
  // Returns N W N^T l; leaves W N^T l in displacement_.
  Eigen::VectorXd apply(const std::vector<GapRow>& rows, const Eigen::VectorXd& l) {
    const size_t bodies = model_.bodies().size();
    displacement_.assign(6 * bodies, 0.0);
    const auto of = [&](BodyId body) { return Eigen::Map<Vec6>(&displacement_[6 * body.index()]); };
    for (size_t i = 0; i < rows.size(); ++i) {
      of(rows[i].a) += l[static_cast<Eigen::Index>(i)] * rows[i].of_a;
      of(rows[i].b) -= l[static_cast<Eigen::Index>(i)] * rows[i].of_b;
    }
    if (!joints_.empty()) {
      const auto& nodes = joints_.graph().nodes;
      for (size_t k = 0; k < nodes.size(); ++k)
        std::copy_n(&displacement_[6 * nodes[k].body.index()], 6, &twists_[6 * k]);
      std::fill(rows_.begin(), rows_.end(), 0.0);
      joints_.solve(twists_.data(), rows_.data());
      for (size_t k = 0; k < nodes.size(); ++k)
        std::copy_n(&twists_[6 * k], 6, &displacement_[6 * nodes[k].body.index()]);
    }
    for (size_t i = 0; i < bodies; ++i) {
      if (joints_.graph().node_of_body[i] != dynamics::kNone) continue;
      Eigen::Map<Vec6> u(&displacement_[6 * i]);
      u.head<3>() *= model_.bodies()[i].inverse_mass;
      u.tail<3>() = (inverse_inertias_[i] * u.tail<3>()).eval();
    }
    Eigen::VectorXd product(static_cast<Eigen::Index>(rows.size()));
    for (size_t i = 0; i < rows.size(); ++i)
      product[static_cast<Eigen::Index>(i)] =
          rows[i].of_a.dot(of(rows[i].a)) - rows[i].of_b.dot(of(rows[i].b));
    return product;
  }

  const model::Model& model_;
  dynamics::ConstraintSolver& joints_;
  const StartParameters& par_;
  std::vector<Mat3> inverse_inertias_;
  std::vector<double> displacement_, twists_, rows_;
};

// Finds pairs of bodies that are nearer than the contact offset.
class StartSearch {
 public:
  StartSearch(const model::Model& model, double accuracy, const contact::TightPairs& tight,
              const Parameters& parameters)
      : model_(model),
        tight_(tight),
        accuracy_(accuracy),
        layer_clearance_(parameters.start.layer_clearance),
        coincident_(parameters.collision.manifold.coincident),
        pair_tracker_(model, tight),
        builder_(parameters.collision) {
    const auto& pairs = model.material_pairs();
    if (std::any_of(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.stiffness > 0; }))
      acceleration_ = compute_scales(model).acceleration;
    widest_layer_ = contact::compute_widest_layer(model, acceleration_);
    for (const contact::PairTracker::Item& item : pair_tracker_.items())
      shapes_.push_back(
          collision::shrink(model.body(item.body).shapes[item.shape].shape, tight.shrinkage_of(item.body)));
  }
  bool needed() const { return pair_tracker_.needed(); }

  // Finds pairs with gaps up to the contact offset, and the rows that would open them.
  void find(const State& state) {
    contacts_.clear(), rows_.clear();
    largest_shortfall_ = 0;
    double extent = 0;
    std::vector<double> margins;
    for (size_t i = 0; i < model_.bodies().size(); ++i)
      extent = std::max(extent, state.position(BodyId(i)).cwiseAbs().maxCoeff());
    // A fixed body uses the margin of the other.
    for (size_t i = 0; i < model_.bodies().size(); ++i)
      margins.push_back(
          model_.bodies()[i].is_fixed()
              ? 0
              : 2 * contact::compute_contact_offset(model_, BodyId(i), BodyId(i), accuracy_, extent) +
                    widest_layer_);
    for (contact::PairTracker::Pair& pair : pair_tracker_.update(state, margins)) {
      const BodyId a = pair_tracker_.items()[pair.a].body, b = pair_tracker_.items()[pair.b].body;
      // At the start no compliant layer is compressed.
      const double layer = widest_layer_ > 0
                               ? contact::compute_pair_law(model_, pair_tracker_.items()[pair.a],
                                                           pair_tracker_.items()[pair.b], acceleration_)
                                     .layer
                               : 0;
      check_pair(state, pair,
                 contact::compute_contact_offset(model_, a, b, accuracy_, extent, tight_) +
                     (1 + layer_clearance_) * layer);
    }
    // Bodies with several shapes occur several times: the deepest pair counts.
    std::sort(contacts_.begin(), contacts_.end(), [](const FoundPair& x, const FoundPair& y) {
      return std::tuple(x.a, x.b, x.gap) < std::tuple(y.a, y.b, y.gap);
    });
    contacts_.erase(
        std::unique(contacts_.begin(), contacts_.end(),
                    [](const FoundPair& x, const FoundPair& y) { return x.a == y.a && x.b == y.b; }),
        contacts_.end());
  }
  struct FoundPair : StartContact {
    double offset = 0;    // m, that it should have
    double distance = 0;  // m: the gap without allowance for rounding
    double rounding = 0;  // m: bound on the rounding error of its distance
    // Without the allowance for rounding, which is a few hundredths of the smallest offsets.
    double shortfall() const { return (offset - distance) / offset; }
  };
  const std::vector<FoundPair>& contacts() const { return contacts_; }
  const std::vector<GapRow>& rows() const { return rows_; }
  /// The pair with the largest shortfall, in parts of its contact offset; 0: there is none.
  double largest_shortfall() const { return largest_shortfall_; }
  const StartContact& deepest() const { return deepest_; }

 private:
  // Penetration depth of two shapes, by the independent checker, which handles overlaps.
  double depth_of(const State& state, uint32_t a, uint32_t b) {
    const auto pose = [&](const contact::PairTracker::Item& item) {
      return body_pose(model_, state, item.body) * model_.body(item.body).shapes[item.shape].X_BS;
    };
    return checker_
        .measure(shapes_[a], pose(pair_tracker_.items()[a]), shapes_[b], pose(pair_tracker_.items()[b]))
        .depth;
  }
  void check_pair(const State& state, contact::PairTracker::Pair& pair, double offset) {
    const collision::Placed &A = pair_tracker_.placed(pair.a), &B = pair_tracker_.placed(pair.b);
    const BodyId a = pair_tracker_.items()[pair.a].body, b = pair_tracker_.items()[pair.b].body;
    const collision::Separation apart = collision::compute_distance(A, B, pair.memory);
    // Convex shapes that are apart do not overlap.
    const bool clear = apart.lower_bound > 0 && A.collider->is_convex() && B.collider->is_convex();
    const double depth = clear ? 0 : depth_of(state, pair.a, pair.b);
    const double gap = depth > 0 ? -depth : apart.lower_bound;  // a guaranteed bound
    if (gap > offset) return;
    FoundPair found;
    found.a = a, found.b = b, found.gap = gap, found.offset = offset;
    found.distance = depth > 0 ? -depth : apart.distance;
    found.rounding = collision::compute_distance_rounding(A, B);
    contacts_.push_back(found);
    if (found.shortfall() > largest_shortfall_) largest_shortfall_ = found.shortfall(), deepest_ = found;
    // Include corners that are a little higher. Otherwise the body tilts about the lowest one.
    const collision::ContactRange shell{.max_gap = offset + std::max(offset, depth),
                                        .contact_offset = offset};
    found_.clear();
    // So near, the direction between nearest points is undefined.
    if (gap <= coincident_ * offset)
      collision::find_separating_contacts(A, B, depth, shell, builder_, found_);
    else
      builder_.build(A, B, shell, pair.memory, found_);
    const auto add_row = [&](const Vec3& point, const Vec3& along, double shortfall, bool tangent) {
      GapRow row{a, b, {}, {}, shortfall, tangent};
      row.of_a << along, (point - state.position(a)).cross(along);
      row.of_b << along, (point - state.position(b)).cross(along);
      rows_.push_back(row);
    };
    for (const collision::Contact& c : found_) {
      add_row(c.point, c.normal, offset - c.gap, false);
      for (const Vec3& t : collision::find_turning_tangents(A, B, c)) add_row(c.point, t, 0, true);
    }
  }

  const model::Model& model_;
  const contact::TightPairs& tight_;
  double accuracy_, layer_clearance_, coincident_, acceleration_ = 0, widest_layer_ = 0;
  contact::PairTracker pair_tracker_;
  std::vector<collision::Shape> shapes_;  // of the items
  collision::OverlapChecker checker_;
  collision::ManifoldBuilder builder_;
  std::vector<collision::Contact> found_;
  std::vector<FoundPair> contacts_;
  std::vector<GapRow> rows_;
  double largest_shortfall_ = 0;
  StartContact deepest_;
};

std::string names_of(const model::Model& model, const StartContact& pair) {
  return "bodies \"" + model.body(pair.a).name + "\" and \"" + model.body(pair.b).name + "\"";
}

// The source location of the body that comes later in the scene.
const core::Place& source_of(const model::Model& model, const StartContact& pair) {
  return model.body(pair.b).place;
}

// Moves every body, at most by a part of its size.
void move(const model::Model& model, const std::vector<double>& displacement, double longest, State& state) {
  double share = 1;
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    const Eigen::Map<const Vec6> u(&displacement[6 * i]);
    const double radius = model.bodies()[i].radius;
    const double distance = u.head<3>().norm() + u.tail<3>().norm() * radius;
    if (distance > longest * radius) share = std::min(share, longest * radius / distance);
  }
  for (size_t i = 0; i < model.bodies().size(); ++i) {
    if (model.bodies()[i].is_fixed()) continue;
    const Eigen::Map<const Vec6> u(&displacement[6 * i]);
    const BodyId id(i);
    const math::Quat turned =
        (math::Quat::from_rotation_vector(share * u.tail<3>()) * state.orientation(id)).normalized();
    const Vec3 v = velocity(model, state, id), w = angular_velocity(model, state, id);
    set_motion(model, id, state.position(id) + share * u.head<3>(), turned, v, w, state);
  }
}

// Moves bodies apart until every gap is the contact offset. False: there is no room. Then the gaps of
// `search` are as large as they can be together, in the sense of least squares.
bool open_gaps(const model::Model& model, const StartParameters& par, StartSearch& search, State& state) {
  dynamics::ConstrainedBodies bodies(model);
  double least = search.largest_shortfall();
  for (int pass = 0, idle = 0; search.largest_shortfall() > par.shortfall; ++pass) {
    if (search.largest_shortfall() < par.progress * least)
      least = search.largest_shortfall(), idle = 0;
    else
      ++idle;
    if (pass == par.max_passes || idle == par.max_idle_passes || search.rows().empty()) return false;
    State next = state;
    LeastDisplacement nearest(model, next, bodies.solver(), par);
    move(model, nearest.solve(search.rows()), par.longest_move, next);
    if (bodies.has_constraints()) {
      const dynamics::JointGap left =
          dynamics::JointProjection(bodies).project(next.time, next.y.data(), next.hinge_angles.data());
      if (left.widest && !(left.error <= par.round_off * model.size_of(*left.widest))) return false;
    }
    if (!std::all_of(next.y.begin(), next.y.end(), [](double v) { return std::isfinite(v); })) return false;
    state = next;
    search.find(state);
  }
  return true;
}

// The offset of a tight pair is the gap that it has.
void measure_offsets(const model::Model& model, const State& state, double accuracy,
                     const Parameters& parameters, contact::TightPairs& tight) {
  const contact::TightPairs usual{{}, tight.shrinkage};
  StartSearch search(model, accuracy, usual, parameters);
  search.find(state);
  for (const StartSearch::FoundPair& found : search.contacts())
    if (const contact::TightPair* pair = tight.find(found.a, found.b))
      tight.pairs[static_cast<size_t>(pair - tight.pairs.data())].offset = found.distance;
}

// Marks a pair as one without any room.
void take_room(const model::Model& model, contact::TightPair& pair, double shrinkage,
               contact::TightPairs& tight) {
  pair.no_room = true;
  for (const BodyId body : {pair.a, pair.b})
    if (!model.body(body).is_fixed())
      tight.shrinkage[body.index()] = std::max(tight.shrinkage[body.index()], shrinkage);
}

// Tight pairs with some room that are connected, by moving bodies, to pairs that stay short without any:
// their room is what those lack. Returns true if there are any.
bool take_room_from_neighbours(const model::Model& model, const StartSearch& search,
                               contact::TightPairs& tight) {
  std::vector<char> stuck(model.bodies().size(), 0);
  const auto mark = [&](const auto& pair) {
    bool changed = false;
    for (const BodyId body : {pair.a, pair.b})
      if (!model.body(body).is_fixed() && !std::exchange(stuck[body.index()], 1)) changed = true;
    return changed;
  };
  double shrinkage = 0;
  for (const StartSearch::FoundPair& pair : search.contacts()) {
    mark(pair);
    shrinkage = std::max(shrinkage, contact::kOffset.shrink_ratio * pair.rounding);
  }
  const auto is_stuck = [&](const contact::TightPair& pair) {
    return stuck[pair.a.index()] || stuck[pair.b.index()];
  };
  for (bool more = true; more;) {
    more = false;
    for (const contact::TightPair& pair : tight.pairs) more |= is_stuck(pair) && mark(pair);
  }
  bool any = false;
  for (contact::TightPair& pair : tight.pairs)
    if (!pair.no_room && is_stuck(pair)) take_room(model, pair, shrinkage, tight), any = true;
  return any;
}

// Adds the pairs that are short of their contact offset, with what they have reached as their offset, or
// without any room. False: nothing changes.
bool add_tight_pairs(const model::Model& model, const StartParameters& par, const StartSearch& search,
                     contact::TightPairs& tight) {
  bool changed = false;
  tight.shrinkage.resize(model.bodies().size(), 0.0);
  for (const StartSearch::FoundPair& pair : search.contacts()) {
    if (!(pair.shortfall() > par.shortfall)) continue;
    const contact::TightPair* known = tight.find(pair.a, pair.b);
    if (known && known->no_room) continue;
    contact::TightPair next{pair.a, pair.b, (1 - par.no_room) * pair.gap, false};
    if (known || pair.gap < par.no_room * pair.offset)
      take_room(model, next, contact::kOffset.shrink_ratio * pair.rounding, tight);
    changed = true;
    std::erase_if(tight.pairs, [&](const auto& x) { return x.a == pair.a && x.b == pair.b; });
    tight.pairs.insert(std::upper_bound(tight.pairs.begin(), tight.pairs.end(), next,
                                        [](const auto& x, const auto& y) {
                                          return std::tuple(x.a, x.b) < std::tuple(y.a, y.b);
                                        }),
                       next);
  }
  if (!changed) changed = take_room_from_neighbours(model, search, tight);
  // Three quarters of what the smaller shapes leave: the rest is for rounding of the way there.
  for (contact::TightPair& pair : tight.pairs)
    if (pair.no_room)
      pair.offset = 0.75 * (tight.shrinkage[pair.a.index()] + tight.shrinkage[pair.b.index()]);
  return changed;
}

}  // namespace

core::Expected<Separated> separate(const model::Model& model, const State& start, double accuracy,
                                   bool settle, const Parameters& parameters) {
  const StartParameters& par = parameters.start;
  Separated result{start, {}, {}};
  auto search = std::make_unique<StartSearch>(model, accuracy, result.tight, parameters);
  if (!search->needed()) return result;
  search->find(start);
  result.touching.assign(search->contacts().begin(), search->contacts().end());
  core::Diagnostics diagnostics;
  for (const StartContact& pair : result.touching) {
    if (-pair.gap <= par.touching_depth * contact::compute_pair_size(model, pair.a, pair.b)) continue;
    const std::string what =
        names_of(model, pair) + " overlap by " + brief_number(-pair.gap) + " m at the start";
    if (settle)
      diagnostics.push_back(core::warning_at(source_of(model, pair), what + "; they were pushed apart"));
    else
      diagnostics.push_back(core::error_at(
          source_of(model, pair),
          what + "; move them apart, let them <ignore/> each other, or push them apart by settle=\"true\" on "
                 "<simulation>"));
  }
  if (core::has_errors(diagnostics)) return diagnostics;

  StartContact stuck;
  for (bool first = true; !open_gaps(model, par, *search, result.state); first = false) {
    if (first) stuck = search->deepest();
    if (!add_tight_pairs(model, par, *search, result.tight))
      return core::error_at(source_of(model, stuck),
                            names_of(model, stuck) +
                                " cannot be brought apart at the start: there is no room "
                                "for all that touch or overlap (" +
                                (stuck.gap < 0 ? "an overlap of " + brief_number(-stuck.gap)
                                               : "a gap of " + brief_number(stuck.gap)) +
                                " m is left); make one smaller or move them");
    result.state = start;
    search = std::make_unique<StartSearch>(model, accuracy, result.tight, parameters);
    search->find(start);
  }
  if (!result.tight.empty()) measure_offsets(model, result.state, accuracy, parameters, result.tight);
  return {std::move(result), std::move(diagnostics)};
}

}  // namespace tumble::simulate
