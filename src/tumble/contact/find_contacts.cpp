#include "tumble/contact/find_contacts.h"

#include <cmath>

namespace tumble::contact {

using core::BodyId;
using math::Mat3;
using math::Vec3;
using model::kNone;
using model::node_part;
using model::State;

namespace {

// Two unit tangents, perpendicular to the normal axes[0].
void find_tangents(Vec3* axes) {
  const Vec3& n = axes[0];
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(n[k]) < std::abs(n[least])) least = k;
  axes[1] = n.cross(Vec3::Unit(least)).normalized();
  axes[2] = n.cross(axes[1]);
}

}  // namespace

ContactFinder::ContactFinder(const model::Model& model, const model::MovingBodies& bodies,
                             const ContactSettings& settings)
    : model_(&model),
      bodies_(&bodies),
      settings_(settings),
      pairs_(model, settings.tight),
      builder_(settings.collision) {}

PairLaw ContactFinder::law_of(uint32_t a, uint32_t b) const {
  return compute_pair_law(*model_, item(a), item(b), settings_.acceleration);
}

double ContactFinder::offset_of(uint32_t a, uint32_t b) const {
  return compute_contact_offset(*model_, body_of(a), body_of(b), settings_.accuracy, pairs_.extent(),
                                settings_.tight);
}

double ContactFinder::pair_size(uint32_t a, uint32_t b) const {
  return compute_pair_size(*model_, body_of(a), body_of(b));
}

void ContactFinder::find_contacts(const State& at, std::span<const double> momenta, double h,
                                  const ContactCache& cache, ContactSet& contacts) {
  contacts.clear();
  if (!has_shapes()) return;
  const double free_fall = this->free_fall(h);
  margins_.clear();
  for (size_t i = 0; i < model_->bodies().size(); ++i) {
    const model::Body& body = model_->bodies()[i];
    double margin = 0;
    if (const int n = bodies_->node_of(BodyId(i)); n != kNone) {
      const model::Vec6 p = node_part(momenta, n);
      const Mat3 R = at.orientation(BodyId(i)).to_matrix();
      const Vec3 w = R * (body.inverse_inertia_B * (R.transpose() * p.tail<3>()));
      margin = h * (p.head<3>().norm() * body.inverse_mass + w.norm() * body.radius) + free_fall +
               settings_.par.min_margin * body.radius + settings_.widest_layer;
    }
    margins_.push_back(margin);
  }
  for (PairTracker::Pair& pair : pairs_.update(at, margins_)) {
    const BodyId a = body_of(pair.a), b = body_of(pair.b);
    const double offset = offset_of(pair.a, pair.b);
    const PairLaw law = law_of(pair.a, pair.b);
    // A compliant layer acts on everything that may enter it during the drift.
    double layer = settings_.widest_layer > 0 ? law.layer : 0;
    if (layer > 0) layer += margins_[a.index()] + margins_[b.index()] - settings_.widest_layer;
    found_.clear();
    builder_.build(pairs_.placed(pair.a), pairs_.placed(pair.b),
                   {.max_gap = settings_.par.touching * offset + layer + free_fall, .contact_offset = offset},
                   pair.memory, found_);
    for (const collision::Contact& contact : found_)
      contacts.add(make_point(at, pair.a, pair.b, contact, offset, law, cache));
  }
}

ContactPoint ContactFinder::make_point(const State& at, uint32_t a, uint32_t b,
                                       const collision::Contact& contact, double offset, const PairLaw& law,
                                       const ContactCache& cache) const {
  ContactPoint point;
  point.a = a, point.b = b, point.contact = contact, point.offset = offset, point.law = law;
  point.same_point_distance = settings_.par.same_point_distance * pair_size(a, b);
  point.is_tight = settings_.tight.find(body_of(a), body_of(b)) != nullptr;
  point.axes[0] = contact.normal;
  find_tangents(point.axes);
  const BodyId body = body_of(a);
  point.point_A = at.orientation(body).to_matrix().transpose() * (contact.point - at.position(body));
  point.last = cache.find(point);
  return point;
}

collision::Motion ContactFinder::motion_of(uint32_t item, const State& at, std::span<const double> v) const {
  collision::Motion motion;
  motion.center = at.position(body_of(item));
  if (const int n = node_of(item); n != kNone)
    motion.velocity = node_part(v, n).head<3>(), motion.angular_velocity = node_part(v, n).tail<3>();
  return motion;
}

void ContactFinder::certify_drift(const State& at, std::span<const double> v, double h,
                                  const ContactSet& contacts, std::vector<Violation>& violations) {
  violations.clear();
  if (!has_shapes()) return;
  margins_.clear();
  for (size_t i = 0; i < model_->bodies().size(); ++i) {
    const model::Body& body = model_->bodies()[i];
    const int n = bodies_->node_of(BodyId(i));
    margins_.push_back(
        n == kNone ? 0
                   : h * (node_part(v, n).head<3>().norm() + node_part(v, n).tail<3>().norm() * body.radius) +
                         settings_.par.min_margin * body.radius);
  }
  for (PairTracker::Pair& pair : pairs_.update(at, margins_)) {
    const double offset = offset_of(pair.a, pair.b);
    const collision::Motion motion_a = motion_of(pair.a, at, v), motion_b = motion_of(pair.b, at, v);
    // Shapes that are nearer than that already may come a little nearer while they separate.
    double nearest = settings_.par.certified * offset;
    contacts.for_each_of_pair(pair.a, pair.b, [&](const ContactPoint& point) {
      nearest = std::min(nearest, settings_.par.min_gap_ratio * point.contact.gap);
    });
    const collision::Verdict verdict =
        collision::certify(pairs_.placed(pair.a), motion_a, pairs_.placed(pair.b), motion_b, h, nearest,
                           pair.memory, settings_.collision.certificate);
    if (verdict.safe) continue;
    const auto velocity_of = [&](const collision::Motion& m) {
      return Vec3(m.velocity +
                  m.angular_velocity.cross(verdict.approach.point - m.center - verdict.time * m.velocity));
    };
    violations.push_back({pair.a, pair.b, offset, nearest, verdict.time, verdict.approach,
                          velocity_of(motion_a), velocity_of(motion_b)});
  }
}

}  // namespace tumble::contact
