// LeapfrogMemory as numbers, for checkpoints.
#include "tumble/simulate/leapfrog/types.h"
#include "tumble/simulate/numbers.h"

namespace tumble::simulate {

std::vector<double> to_numbers(const LeapfrogMemory& m) {
  NumberWriter out;
  out.add(m.h_next), out.add(m.h_left), out.add(m.h_cap), out.add(m.compliant_energy);
  out.add(m.v_half), out.add(m.p_half), out.add(m.expected_y), out.add(m.last_kick.law_forces);
  out.add(m.last_kick.script_powers);
  out.add(static_cast<double>(3 * m.actuators.size()));
  for (const math::Vec3& impulse : m.actuators) out.add(impulse);
  out.add(m.last_kick.reactions);
  out.add(static_cast<double>(m.limits.size()));
  for (const CachedLimit& x : m.limits)
    out.add(static_cast<double>(x.limit)), out.add(x.impulse), out.add(x.predicted_value);
  out.add(static_cast<double>(m.contacts.contacts.size()));
  for (const contact::CachedContact& x : m.contacts.contacts) {
    out.add(x.a), out.add(x.b), out.add(x.key), out.add(x.impulse);
    out.add(x.sticks ? 1.0 : 0.0), out.add(x.slip), out.add(x.point_A), out.add(x.point),
        out.add(x.predicted_gap);
    out.add(x.h);
  }
  out.add(static_cast<double>(m.pairs.size()));
  for (const contact::PairTracker::Note& note : m.pairs) {
    out.add(note.a), out.add(note.b), out.add(note.normal);
    out.add(note.primitives[0]), out.add(note.primitives[1]);
    out.add(note.features ? 1.0 : 0.0), out.add(note.features.value_or(collision::FeatureKey{}));
  }
  return out.take();
}

LeapfrogMemory leapfrog_memory_from(const std::vector<double>& numbers) {
  NumberReader in(numbers);
  LeapfrogMemory m;
  m.h_next = in.number(), m.h_left = in.number(), m.h_cap = in.number(), m.compliant_energy = in.number();
  m.v_half = in.list(), m.p_half = in.list(), m.expected_y = in.list(), m.last_kick.law_forces = in.list();
  m.last_kick.script_powers = in.list();
  m.actuators.resize(in.count() / 3);
  for (math::Vec3& impulse : m.actuators) impulse = in.vector();
  m.last_kick.reactions = in.list();
  m.limits.resize(in.count());
  for (CachedLimit& x : m.limits)
    x.limit = in.count(), x.impulse = in.number(), x.predicted_value = in.number();
  m.contacts.contacts.resize(in.count());
  for (contact::CachedContact& x : m.contacts.contacts) {
    x.a = in.index(), x.b = in.index(), x.key = in.key(), x.impulse = in.vector();
    x.sticks = in.number() != 0, x.slip = in.vector(), x.point_A = in.vector(), x.point = in.vector();
    x.predicted_gap = in.number(), x.h = in.number();
  }
  m.pairs.resize(in.count());
  for (contact::PairTracker::Note& note : m.pairs) {
    note.a = in.index(), note.b = in.index(), note.normal = in.vector();
    note.primitives[0] = in.index(), note.primitives[1] = in.index();
    const bool known = in.number() != 0;
    const collision::FeatureKey key = in.key();
    if (known) note.features = key;
  }
  return m;
}

}  // namespace tumble::simulate
