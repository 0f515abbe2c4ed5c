#include "joints/peers/chain.h"

#include <cmath>
#include <ctime>

namespace peers {

namespace {

const double kPi = std::acos(-1.0);

Vector3d box_moments(double mass, const Vector3d& size) {
  const Vector3d s = size.cwiseAbs2();
  return mass / 12 * Vector3d(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
}

Quaterniond turn(const Vector3d& axis, double angle) { return Quaterniond(Eigen::AngleAxisd(angle, axis)); }

}  // namespace

// A disc at the end of a horizontal arm, 20 rev/s, released without precession.
Chain gyroscope() {
  const double radius = 0.2, thickness = 0.02, arm = 0.2;
  const double across = (3 * radius * radius + thickness * thickness) / 12;
  Link disc;
  disc.moments = {radius * radius / 2, across, across};
  disc.above = {-arm, 0, 0};
  disc.angular_velocity = {2 * kPi * 20, 0, 0};
  Chain chain{"gyroscope", 8};
  // precession, nutation, spin
  chain.gimbal[0] = Vector3d::UnitY(), chain.gimbal[1] = Vector3d::UnitZ(),
  chain.gimbal[2] = Vector3d::UnitX();
  chain.links = {disc};
  return chain;
}

// Two rods, both 45 degrees from the vertical: regular motion, so that small errors stay small.
Chain double_pendulum() {
  Link rod;
  rod.moments = box_moments(1, {0.05, 1, 0.05});
  rod.above = {0, 0.5, 0};
  rod.below = {0, -0.5, 0};
  rod.rotation = turn(Vector3d::UnitZ(), kPi / 4);
  Chain chain{"double-pendulum", 10, true};
  chain.links = {rod, rod};
  return chain;
}

// Links of 0.1 m, released from rest along a spiral that rises and falls.
Chain spatial_chain(int links, double duration) {
  Chain chain{"chain-" + std::to_string(links), duration};
  // one bending angle, the twist about the link, the other bending angle
  chain.gimbal[0] = Vector3d::UnitZ(), chain.gimbal[1] = Vector3d::UnitX(),
  chain.gimbal[2] = Vector3d::UnitY();
  for (int i = 0; i < links; ++i) {
    Link link;
    link.moments = box_moments(1, {0.1, 0.04, 0.02});
    link.above = {-0.05, 0, 0};
    link.below = {0.05, 0, 0};
    link.rotation = turn(Vector3d::UnitY(), 0.3 * i) * turn(Vector3d::UnitZ(), 0.4 * std::cos(0.7 * i));
    chain.links.push_back(link);
  }
  return chain;
}

Chain hanging_chain(int links, double duration) {
  const double length = 4.0 / links, radius = 0.02;
  const double across = length / 12 * (3 * radius * radius + length * length);
  Chain chain{"hanging-" + std::to_string(links), duration};
  for (int i = 0; i < links; ++i) {
    Link link;
    link.mass = length;
    link.moments = {across, length * radius * radius / 2, across};
    link.above = {0, length / 2, 0};
    link.below = {0, -length / 2, 0};
    if (i == 0) link.rotation = turn(Vector3d::UnitZ(), kPi / 4);
    link.angular_velocity = {-0.25, 0, 0};
    chain.links.push_back(link);
  }
  return chain;
}

std::vector<Place> place_links(const Chain& chain, const std::vector<Quaterniond>& rotations) {
  std::vector<Place> places;
  Vector3d joint = Vector3d::Zero();
  for (size_t i = 0; i < chain.links.size(); ++i) {
    const Vector3d center = joint - rotations[i] * chain.links[i].above;
    places.push_back({center, rotations[i]});
    joint = center + rotations[i] * chain.links[i].below;
  }
  return places;
}

std::vector<Place> start_places(const Chain& chain) {
  std::vector<Quaterniond> rotations;
  for (const Link& link : chain.links) rotations.push_back(link.rotation);
  return place_links(chain, rotations);
}

double largest_error(const std::vector<Place>& places, const std::vector<Place>& wanted) {
  if (places.size() != wanted.size()) return std::nan("");
  double largest = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Quaterniond off = wanted[i].rotation.conjugate() * places[i].rotation;
    const double angle = 2 * std::atan2(off.vec().norm(), std::abs(off.w()));
    const double error = std::max(angle, (places[i].center - wanted[i].center).norm());
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace peers
