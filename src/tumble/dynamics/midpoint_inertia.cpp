#include "tumble/dynamics/midpoint_inertia.h"

#include <algorithm>

#include "tumble/math/quat.h"

// Vectors are passed only inside this file, so that the calling convention does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tumble::dynamics {

namespace {

using Lanes = double __attribute__((vector_size(32)));

struct Lanes3 {
  Lanes x, y, z;
};

// Entry e of each of four arrays; the first three entries.
Lanes load(const double* const* from, int e) { return Lanes{from[0][e], from[1][e], from[2][e], from[3][e]}; }
Lanes3 load_three(const double* const* from) { return {load(from, 0), load(from, 1), load(from, 2)}; }
Lanes load(const double* four) { return Lanes{four[0], four[1], four[2], four[3]}; }

// A 3 x 3 matrix, column by column, times a vector; and its transpose.
Lanes3 times(const Lanes* M, const Lanes3& r) {
  return {M[0] * r.x + M[3] * r.y + M[6] * r.z, M[1] * r.x + M[4] * r.y + M[7] * r.z,
          M[2] * r.x + M[5] * r.y + M[8] * r.z};
}
Lanes3 transposed_times(const Lanes* M, const Lanes3& r) {
  return {M[0] * r.x + M[1] * r.y + M[2] * r.z, M[3] * r.x + M[4] * r.y + M[5] * r.z,
          M[6] * r.x + M[7] * r.y + M[8] * r.z};
}

// Entries of a lower triangle, row by row; and such a matrix times a vector.
constexpr int kRow[] = {0, 1, 1, 2, 2, 2}, kColumn[] = {0, 0, 1, 0, 1, 2};
Lanes3 times_symmetric(const Lanes* M, const Lanes3& r) {
  return {M[0] * r.x + M[1] * r.y + M[3] * r.z, M[1] * r.x + M[2] * r.y + M[4] * r.z,
          M[3] * r.x + M[4] * r.y + M[5] * r.z};
}

// A rotation as a quaternion.
struct Rotation {
  Lanes w;
  Lanes3 v;
};

// exp(r). A series up to half a radian: the next terms are below 2e-16.
Rotation rotation_of(const Lanes3& r) {
  const Lanes q = 0.25 * (r.x * r.x + r.y * r.y + r.z * r.z);
  Lanes w = 1 - q * (1.0 / 2 - q * (1.0 / 24 - q * (1.0 / 720 - q * (1.0 / 40320 - q * (1.0 / 3628800)))));
  Lanes s =
      0.5 - q * (1.0 / 12 - q * (1.0 / 240 - q * (1.0 / 10080 - q * (1.0 / 725760 - q * (1.0 / 79833600)))));
  for (int k = 0; k < 4; ++k) {
    if (!(q[k] > 0.0625)) continue;
    const double angle = 2 * math::sqrt(q[k]);
    w[k] = math::cos(0.5 * angle), s[k] = math::sin(0.5 * angle) / angle;
  }
  return {w, {s * r.x, s * r.y, s * r.z}};
}

// q r q*; with -w, q* r q.
Lanes3 rotated(const Lanes& w, const Lanes3& v, const Lanes3& r) {
  const Lanes3 t{2 * (v.y * r.z - v.z * r.y), 2 * (v.z * r.x - v.x * r.z), 2 * (v.x * r.y - v.y * r.x)};
  return {r.x + w * t.x + (v.y * t.z - v.z * t.y), r.y + w * t.y + (v.z * t.x - v.x * t.z),
          r.z + w * t.z + (v.x * t.y - v.y * t.x)};
}

}  // namespace

MidpointInertia::MidpointInertia(const model::Model& model, const model::MovingBodies& bodies,
                                 std::span<const int> order, const MidRotationParameters& parameters)
    : parameters_(parameters) {
  for (size_t first = 0; first < order.size(); first += kLanes) {
    Four four;
    for (size_t k = 0; k < kLanes; ++k) {
      four.node[k] = static_cast<uint32_t>(order[std::min(first + k, order.size() - 1)]);
      const core::BodyId id = bodies[four.node[k]];
      four.body[k] = static_cast<uint32_t>(id.index());
      for (size_t e = 0; e < 6; ++e) {
        four.inertia[e][k] = model.body(id).inertia_B(kRow[e], kColumn[e]);
        four.inverse[e][k] = model.body(id).inverse_inertia_B(kRow[e], kColumn[e]);
      }
    }
    fours_.push_back(four);
  }
}

void MidpointInertia::compute(size_t first, size_t end, std::span<const model::BodyMotion> motions,
                              std::span<const double> momenta, std::span<const double> angular_impulse,
                              double h, std::span<Inertia> inertias) const {
  const double tolerance = parameters_.angle_change;
  for (size_t f = first / kLanes; kLanes * f < end; ++f) {
    const Four& four = fours_[f];
    Lanes R[9], I[6], inverse[6];
    const double* rotation[kLanes];
    double L_W[3][kLanes];
    for (size_t k = 0; k < kLanes; ++k) {
      rotation[k] = motions[four.body[k]].rotation.data();
      const double *L = &momenta[6 * size_t{four.node[k]} + 3],
                   *added = &angular_impulse[3 * size_t{four.node[k]}];
      for (size_t e = 0; e < 3; ++e) L_W[e][k] = L[e] + added[e];
    }
    for (int e = 0; e < 9; ++e) R[e] = load(rotation, e);
    for (int e = 0; e < 6; ++e) I[e] = load(four.inertia[e]), inverse[e] = load(four.inverse[e]);
    const Lanes3 L = transposed_times(R, {load(L_W[0]), load(L_W[1]), load(L_W[2])});
    const auto half = [&](const Lanes3& w) { return Lanes3{0.5 * h * w.x, 0.5 * h * w.y, 0.5 * h * w.z}; };
    Lanes3 w = times_symmetric(inverse, L);
    Rotation E = rotation_of(half(w));
    for (int iteration = 0; iteration < parameters_.max_iterations; ++iteration) {
      const Lanes3 next = rotated(E.w, E.v, times_symmetric(inverse, rotated(-E.w, E.v, L)));
      const Lanes3 d{next.x - w.x, next.y - w.y, next.z - w.z};
      const Lanes change = h * h * (d.x * d.x + d.y * d.y + d.z * d.z);
      w = next;
      E = rotation_of(half(w));
      if (std::max(std::max(change[0], change[1]), std::max(change[2], change[3])) < tolerance * tolerance)
        break;
    }
    // R E, column by column, then (1)
    Lanes M[9], MI[9];
    const Lanes zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};
    const Lanes3 axes[] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    for (int c = 0; c < 3; ++c) {
      const Lanes3 column = times(R, rotated(E.w, E.v, axes[c]));
      M[3 * c] = column.x, M[3 * c + 1] = column.y, M[3 * c + 2] = column.z;
    }
    constexpr int kEntry[] = {0, 1, 3, 1, 2, 4, 3, 4, 5};  // of a full matrix in its lower triangle
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r)
        MI[3 * c + r] =
            M[r] * I[kEntry[3 * c]] + M[3 + r] * I[kEntry[3 * c + 1]] + M[6 + r] * I[kEntry[3 * c + 2]];
    double out[6][kLanes];
    for (int e = 0; e < 6; ++e) {
      const Lanes entry = MI[kRow[e]] * M[kColumn[e]] + MI[3 + kRow[e]] * M[3 + kColumn[e]] +
                          MI[6 + kRow[e]] * M[6 + kColumn[e]];
      for (int k = 0; k < 4; ++k) out[e][k] = entry[k];
    }
    for (size_t k = 0; k < kLanes; ++k)
      for (size_t e = 0; e < 6; ++e) inertias[four.node[k]][e] = out[e][k];
  }
}

void MidpointInertia::compute_rotations(std::span<const double> v, double h,
                                        std::span<double> rotations) const {
  for (const Four& four : fours_) {
    const double* angular[kLanes];
    for (size_t k = 0; k < kLanes; ++k) angular[k] = &v[6 * size_t{four.node[k]} + 3];
    const Lanes3 w = load_three(angular);
    const Rotation rotation = rotation_of({h * w.x, h * w.y, h * w.z});
    for (size_t k = 0; k < kLanes; ++k) {
      double* q = &rotations[4 * size_t{four.node[k]}];
      q[0] = rotation.w[k], q[1] = rotation.v.x[k], q[2] = rotation.v.y[k], q[3] = rotation.v.z[k];
    }
  }
}

void MidpointInertia::compute_momentum_errors(std::span<const model::BodyMotion> motions,
                                              std::span<const double> v, double h,
                                              std::span<const Inertia> inertias,
                                              std::span<double> errors) const {
  for (const Four& four : fours_) {
    const double *rotation[kLanes], *middle[kLanes], *angular[kLanes];
    for (size_t k = 0; k < kLanes; ++k) {
      rotation[k] = motions[four.body[k]].rotation.data();
      middle[k] = inertias[four.node[k]].data();
      angular[k] = &v[6 * size_t{four.node[k]} + 3];
    }
    Lanes R[9], I[6], I_m[6];
    for (int e = 0; e < 9; ++e) R[e] = load(rotation, e);
    for (int e = 0; e < 6; ++e) I[e] = load(four.inertia[e]), I_m[e] = load(middle, e);
    const Lanes3 w = load_three(angular);
    const Rotation E = rotation_of({0.5 * h * w.x, 0.5 * h * w.y, 0.5 * h * w.z});
    const Lanes3 L = rotated(E.w, E.v, times(R, times_symmetric(I, transposed_times(R, w))));
    const Lanes3 assumed = times_symmetric(I_m, w);
    for (size_t k = 0; k < kLanes; ++k) {
      double* out = &errors[3 * size_t{four.node[k]}];
      out[0] = assumed.x[k] - L.x[k], out[1] = assumed.y[k] - L.y[k], out[2] = assumed.z[k] - L.z[k];
    }
  }
}

}  // namespace tumble::dynamics
