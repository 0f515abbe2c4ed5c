// A joint of your own: write what must stay zero, and the library finds the forces that keep it so.
// Two loads hang on a rope that runs over two wheels. With the lengths l_a and l_b from wheels to loads,
//   C = l_a + l_b - L = 0
// The heavier load falls with a = g (m_b - m_a) / (m_b + m_a). The rope pulls with 2 g m_a m_b / (m_a + m_b).
// Exits with 1 unless both are right to nine digits. docs/deriving-a-constraint.md explains the rest.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tumble/model/auto_constraint.h"
#include "tumble/model/model_builder.h"
#include "tumble/simulate/simulation.h"

using namespace tumble;
using model::BodyFrame, model::Vec3;

class Rope final : public model::AutoConstraint<Rope> {
 public:
  Rope(core::BodyId a, const Vec3& wheel_a, core::BodyId b, const Vec3& wheel_b, double length)
      : AutoConstraint<Rope>("rope", "pulley", a, b, 1),  // name, type, bodies, number of equations
        wheel_a_(wheel_a),
        wheel_b_(wheel_b),
        length_(length) {}

  // C for any type of number S. The library calls it with numbers that carry their derivatives.
  template <typename S>
  void value(const S&, const BodyFrame<S>& a, const BodyFrame<S>& b, S* C) const {
    const Eigen::Matrix<S, 3, 1> r_a = a.center - wheel_a_.cast<S>(), r_b = b.center - wheel_b_.cast<S>();
    C[0] = sqrt(r_a.dot(r_a)) + sqrt(r_b.dot(r_b)) - length_;
  }
  bool is_angle(int) const override { return false; }  // C[0] is a length
  bool moves() const override { return false; }        // C does not depend on time

 private:
  Vec3 wheel_a_, wheel_b_;  // m
  double length_;           // m
};

static model::BodySpec make_load(const char* name, double x, double size) {
  model::BodySpec spec;
  spec.name = name;
  spec.X_WB.translation = Vec3(x, 0, 0);
  spec.shapes.push_back({.shape = collision::Box{Vec3(size, size, size)}});
  return spec;
}

int main() {
  model::ModelBuilder builder("atwood");
  const core::BodyId a = builder.add_body(make_load("light", -1, 0.2));
  const core::BodyId b = builder.add_body(make_load("heavy", 1, 0.25));
  builder.add_constraint(std::make_shared<Rope>(a, Vec3(-1, 3, 0), b, Vec3(1, 3, 0), 6));

  const simulate::SimulationOptions options{
      .duration = 0.5, .fps = 10, .method = simulate::Method::precise, .accuracy = 1e-9, .reactions = true};
  simulate::Simulation simulation = simulate::Simulation::create(builder.finish().value(), options).value();
  const double m_a = simulation.model().body(a).mass, m_b = simulation.model().body(b).mass, g = 9.81;
  const double acceleration = g * (m_b - m_a) / (m_b + m_a), tension = 2 * g * m_a * m_b / (m_a + m_b);

  double worst = 0;  // relative
  while (const std::optional<simulate::Event> event = simulation.next()) {
    const auto* frame = std::get_if<simulate::Frame>(&*event);
    if (!frame) continue;
    const double t = frame->state->time, fallen = 0.5 * acceleration * t * t;
    const double y = frame->state->position(b).y(), pull = frame->reactions[1];  // on b, upwards
    worst = std::max({worst, std::abs(y + fallen), std::abs(pull / tension - 1)});
    std::printf("t = %.1f s: heavy load at %.9f m of %.9f, rope pulls with %.6f N of %.6f\n", t, y, -fallen,
                pull, tension);
  }
  if (!simulation.failure().empty()) return std::puts(simulation.failure().c_str()), 1;
  return worst < 1e-9 ? 0 : 1;
}
