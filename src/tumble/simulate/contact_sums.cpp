#include "tumble/simulate/contact_sums.h"

#include <algorithm>
#include <tuple>

#include "tumble/simulate/parameters.h"

namespace tumble::simulate {

using contact::ContactEvent;
using math::Vec3;

namespace {

auto key_of(const ContactEvent& p) { return std::tuple(p.a, p.b, p.key); }

bool is_same_pair(const ContactEvent& p, const ContactEvent& q) { return p.a == q.a && p.b == q.b; }

}  // namespace

void ContactSums::add(std::span<const ContactEvent> points) {
  points_.insert(points_.end(), points.begin(), points.end());
}

void ContactSums::truncate_at(double time) {
  std::erase_if(points_, [&](const ContactEvent& p) { return p.to > time && p.from >= time; });
  for (ContactEvent& p : points_) {
    if (!(p.to > time)) continue;
    p.impulse *= (time - p.from) / (p.to - p.from);
    p.to = time;
  }
}

void ContactSums::drop_until(double time) {
  std::erase_if(points_, [&](const ContactEvent& p) { return p.to <= time; });
}

std::vector<ContactSum> ContactSums::between(double begin, double end) const {
  std::vector<ContactSum> sums;
  for (const ContactEvent& point : points_) {
    const bool instantaneous = point.from == point.to;
    const double share =
        instantaneous ? (begin < point.from && point.from <= end ? 1 : 0)
                      : (std::min(point.to, end) - std::max(point.from, begin)) / (point.to - point.from);
    if (!(share > 0)) continue;
    const Vec3 impulse = share * point.impulse;
    const auto at = std::lower_bound(
        sums.begin(), sums.end(), point,
        [](const ContactSum& sum, const ContactEvent& p) { return key_of(sum.point) < key_of(p); });
    const bool known = at != sums.end() && key_of(at->point) == key_of(point);
    ContactSum& sum = known ? *at : *sums.insert(at, ContactSum{});
    const ContactEvent earlier = sum.point;
    sum.point = point;
    sum.point.impulse = earlier.impulse + impulse;
    if (known && earlier.state == ContactEvent::State::impact) sum.point.state = earlier.state;
    sum.normal_impulse += impulse.dot(point.normal);
  }
  return sums;
}

std::vector<PatchSum> find_patches(std::vector<ContactSum>& sums) {
  std::vector<PatchSum> patches;
  std::vector<const ContactSum*> first;  // of each patch
  std::vector<double> normal_impulses;
  for (ContactSum& sum : sums) {
    size_t k = first.size();
    for (size_t i = k; i > 0 && is_same_pair(first[i - 1]->point, sum.point); --i)
      if ((first[i - 1]->point.normal - sum.point.normal).norm() <= kPatchNormal) k = i - 1;
    if (k == first.size()) {
      patches.emplace_back();
      first.push_back(&sum);
      normal_impulses.push_back(0);
    }
    sum.patch = k;
    patches[sum.patch].impulse += sum.point.impulse;
    patches[sum.patch].center += sum.normal_impulse * sum.point.point;
    normal_impulses[sum.patch] += sum.normal_impulse;
  }
  for (size_t k = 0; k < patches.size(); ++k) patches[k].center /= normal_impulses[k];
  for (const ContactSum& sum : sums) {
    const Vec3 arm = sum.point.point - patches[sum.patch].center;
    patches[sum.patch].moment += first[sum.patch]->point.normal.dot(arm.cross(sum.point.impulse));
  }
  return patches;
}

std::vector<model::ContactRow> make_contact_rows(const ContactSums& sums, double begin, double end,
                                                 const std::function<std::string(uint32_t item)>& body_name) {
  std::vector<ContactSum> points = sums.between(begin, end);
  const std::vector<PatchSum> patches = find_patches(points);
  std::vector<model::ContactRow> rows;
  for (const ContactSum& sum : points) {
    const ContactEvent& p = sum.point;
    const PatchSum& patch = patches[sum.patch];
    const char* state = p.state == ContactEvent::State::impact  ? "impact"
                        : p.state == ContactEvent::State::stick ? "stick"
                                                                : "slip";
    rows.push_back({end, body_name(p.a), body_name(p.b), p.point, p.normal, p.gap, sum.normal_impulse,
                    p.impulse, p.slip, state, sum.patch + 1, patch.impulse, patch.center, patch.moment});
  }
  return rows;
}

}  // namespace tumble::simulate
