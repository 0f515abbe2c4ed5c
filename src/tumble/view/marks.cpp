#include "tumble/view/marks.h"

#include <algorithm>
#include <array>

#include "tumble/model/force_laws.h"
#include "tumble/model/joint_spec.h"

namespace tumble::view {

namespace {

using math::Vec3;

constexpr Color kJoint = {1, 0.8, 0.15};           // yellow
constexpr Color kBone = {0.95, 0.95, 0.97};        // white
constexpr Color kStick = {0.25, 0.75, 0.3};        // green
constexpr Color kSlip = {1, 0.65, 0.1};            // orange
constexpr Color kImpact = {0.95, 0.2, 0.2};        // red
constexpr Color kContactForce = {0.9, 0.25, 0.5};  // pink
constexpr Color kJointForce = {0.3, 0.5, 1};       // blue
constexpr Color kSpring = {0.35, 0.38, 0.42};      // dark grey
constexpr int kCoils = 10;
constexpr double kStraightPart = 0.12;  // of a spring, at each end

// A point of a body, given from its centre of mass in body axes. Of the world: as it is.
Vec3 point_of(const model::State& state, model::BodyId body, const Vec3& arm) {
  return body.valid() ? Vec3(state.position(body) + state.orientation(body) * arm) : arm;
}

Vec3 shortened(const Vec3& v, double longest) {
  const double length = v.norm();
  return length > longest ? Vec3(v * (longest / length)) : v;
}

void add_arrow(const Vec3& at, const Vec3& force, double scale, double longest, const Color& color,
               Overlay& overlay) {
  const Vec3 arrow = shortened(force * scale, longest);
  if (arrow.allFinite() && arrow.norm() > 0) overlay.lines.push_back({at, at + arrow, color, true});
}

// What turns normals and forces on a into those that are shown.
double side_of(const model::Model& model, const record::FrameContacts::Point& point) {
  return point.b < model.bodies().size() && model.bodies()[point.b].is_fixed() ? 1 : -1;
}

}  // namespace

void add_joints(const model::Model& model, const model::State& state, double size, Overlay& overlay) {
  for (const model::JointParts& joint : model.joints()) {
    const Vec3 a = point_of(state, joint.a, joint.frames.arm_A),
               b = point_of(state, joint.b, joint.frames.arm_B);
    if (joint.type == "distance") overlay.lines.push_back({a, b, kJoint});
    const bool has_axis = joint.type == "hinge" || joint.type == "slider" || joint.type == "cylindrical";
    if (has_axis) {
      const Vec3 axis = state.orientation(joint.b) * Vec3(joint.frames.R_BJ.col(0)) * (size / 2);
      overlay.lines.push_back({b - axis, b + axis, kJoint});
    }
    overlay.dots.push_back({b, kJoint});
  }
}

void add_skeleton(const model::Model& model, const model::State& state, Overlay& overlay) {
  for (const model::JointParts& joint : model.joints()) {
    const Vec3 at = point_of(state, joint.b, joint.frames.arm_B);
    for (const model::BodyId body : {joint.a, joint.b})
      if (body.valid() && !model.body(body).is_fixed())
        overlay.lines.push_back({state.position(body), at, kBone});
    overlay.dots.push_back({at, kJoint});
  }
}

void add_names(const model::Model& model, const model::State& state, Overlay& overlay) {
  for (size_t i = 0; i < model.bodies().size(); ++i)
    overlay.labels.push_back({state.position(model::BodyId(i)), model.bodies()[i].name});
}

void add_contacts(const model::Model& model, const record::FrameContacts& contacts, double size,
                  Overlay& overlay) {
  using State = record::FrameContacts::State;
  for (const record::FrameContacts::Point& point : contacts.points) {
    const Color& color = point.state == State::stick ? kStick : point.state == State::slip ? kSlip : kImpact;
    overlay.lines.push_back(
        {point.point, point.point + point.normal * (size * side_of(model, point)), color});
    overlay.dots.push_back({point.point, color});
  }
}

void add_contact_forces(const model::Model& model, const record::FrameContacts& contacts, double seconds,
                        double scale, double longest, Overlay& overlay) {
  std::vector<double> sides(contacts.patches.size(), 1);
  for (const record::FrameContacts::Point& point : contacts.points)
    if (point.patch < sides.size()) sides[point.patch] = side_of(model, point);
  for (size_t i = 0; i < sides.size(); ++i)
    add_arrow(contacts.patches[i].center, contacts.patches[i].impulse * (sides[i] / seconds), scale, longest,
              kContactForce, overlay);
}

void add_joint_forces(const model::Model& model, const model::State& state,
                      const std::vector<double>& reactions, double scale, double longest, Overlay& overlay) {
  for (size_t j = 0; j < model.joints().size() && (j + 1) * model::kReactionSize <= reactions.size(); ++j) {
    const model::JointParts& joint = model.joints()[j];
    add_arrow(point_of(state, joint.b, joint.arm_B), Vec3(&reactions[j * model::kReactionSize]), scale,
              longest, kJointForce, overlay);
  }
}

std::vector<Polyline> build_springs(const model::Model& model, const model::State& state, double width) {
  std::vector<Polyline> lines;
  for (const auto& law : model.forces()) {
    const auto* spring = dynamic_cast<const model::Spring*>(law.get());
    if (!spring) continue;
    const Vec3 a = point_of(state, spring->a(), spring->arm_A()),
               b = point_of(state, spring->b(), spring->arm_B());
    if (!a.allFinite() || !b.allFinite() || a == b) continue;
    const Vec3 side = (b - a).unitOrthogonal() * (width / 2);
    Polyline line;
    line.color = kSpring;
    line.points = {a};
    for (int k = 0; k <= 2 * kCoils; ++k) {
      const double share = kStraightPart + (1 - 2 * kStraightPart) * k / (2 * kCoils);
      const bool end = k == 0 || k == 2 * kCoils;
      line.points.push_back(a + (b - a) * share + (end ? Vec3(Vec3::Zero()) : Vec3(k % 2 ? side : -side)));
    }
    line.points.push_back(b);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Vec3> find_anchors(const model::Model& model, const model::State& state) {
  const auto stays = [&](model::BodyId body) { return !body.valid() || model.body(body).is_fixed(); };
  std::vector<Vec3> anchors;
  for (const auto& law : model.forces())
    if (const auto* spring = dynamic_cast<const model::Spring*>(law.get())) {
      if (stays(spring->a())) anchors.push_back(point_of(state, spring->a(), spring->arm_A()));
      if (stays(spring->b())) anchors.push_back(point_of(state, spring->b(), spring->arm_B()));
    }
  for (const model::JointParts& joint : model.joints()) {
    if (stays(joint.a)) anchors.push_back(point_of(state, joint.a, joint.frames.arm_A));
    if (stays(joint.b)) anchors.push_back(point_of(state, joint.b, joint.frames.arm_B));
  }
  return anchors;
}

}  // namespace tumble::view
