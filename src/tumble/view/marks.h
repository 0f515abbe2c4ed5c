// What `render --show` draws: the marks of a model in a state, and of a recorded frame.
#pragma once

#include <vector>

#include "tumble/model/state.h"
#include "tumble/record/recording.h"
#include "tumble/view/draw_list.h"
#include "tumble/view/overlay.h"

namespace tumble::view {

/// Joints as points, with the axis of hinges and sliders; distance joints as lines. size: m, of an axis.
void add_joints(const model::Model& model, const model::State& state, double size, Overlay& overlay);
/// Lines from the centre of mass of each body to its joints.
void add_skeleton(const model::Model& model, const model::State& state, Overlay& overlay);
void add_names(const model::Model& model, const model::State& state, Overlay& overlay);
/// Contact points with their normals, coloured: stick, slip, impact. Normals and forces are those on b, or on
/// a if b is fixed.
void add_contacts(const model::Model& model, const record::FrameContacts& contacts, double size,
                  Overlay& overlay);
/// The mean force since the last frame of each contact patch, and of each joint on its body b. scale: m/N;
/// arrows are at most `longest` m long.
void add_contact_forces(const model::Model& model, const record::FrameContacts& contacts, double seconds,
                        double scale, double longest, Overlay& overlay);
void add_joint_forces(const model::Model& model, const model::State& state,
                      const std::vector<double>& reactions, double scale, double longest, Overlay& overlay);
/// Springs as zigzags. They are hidden by bodies in front of them.
std::vector<Polyline> build_springs(const model::Model& model, const model::State& state, double width);

/// Places where springs and joints hold bodies to the world or to fixed bodies.
std::vector<math::Vec3> find_anchors(const model::Model& model, const model::State& state);

}  // namespace tumble::view
