#include "tumble/simulate/contact_sums.h"

#include <algorithm>
#include <tuple>

#include "tumble/simulate/numbers.h"

namespace tumble::simulate {

using math::Vec3;

namespace {

auto place_of(const ContactPoint& p) { return std::tuple(p.a, p.b, p.key); }

bool is_same_pair(const ContactPoint& p, const ContactPoint& q) { return p.a == q.a && p.b == q.b; }

}  // namespace

void ContactSums::add(const std::vector<ContactPoint>& points) {
  for (const ContactPoint& point : points) {
    const auto at = std::lower_bound(
        sums_.begin(), sums_.end(), point,
        [](const Sum& sum, const ContactPoint& p) { return place_of(sum.point) < place_of(p); });
    const double normal_impulse = point.impulse.dot(point.normal);
    if (at == sums_.end() || place_of(at->point) != place_of(point)) {
      sums_.insert(at, {point, normal_impulse});
      continue;
    }
    const ContactPoint earlier = at->point;
    at->point = point;
    at->point.impulse += earlier.impulse;
    if (earlier.state == ContactPoint::State::impact) at->point.state = earlier.state;
    at->normal_impulse += normal_impulse;
  }
}

std::vector<PatchSum> ContactSums::find_patches() {
  std::vector<PatchSum> patches;
  std::vector<const Sum*> first;  // of each patch
  std::vector<double> normal_impulses;
  for (Sum& sum : sums_) {
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
  for (const Sum& sum : sums_) {
    const Vec3 arm = sum.point.point - patches[sum.patch].center;
    patches[sum.patch].moment += first[sum.patch]->point.normal.dot(arm.cross(sum.point.impulse));
  }
  return patches;
}

std::vector<double> ContactSums::numbers() const {
  NumberWriter out;
  out.add(static_cast<double>(sums_.size()));
  for (const Sum& sum : sums_) {
    const ContactPoint& p = sum.point;
    out.add(p.a), out.add(p.b), out.add(p.key), out.add(p.point), out.add(p.normal), out.add(p.gap);
    out.add(p.impulse), out.add(p.slip), out.add(static_cast<double>(p.state)), out.add(sum.normal_impulse);
  }
  return out.take();
}

ContactSums ContactSums::from(const std::vector<double>& numbers) {
  ContactSums result;
  if (numbers.empty()) return result;
  NumberReader in(numbers);
  result.sums_.resize(in.count());
  for (Sum& sum : result.sums_) {
    ContactPoint& p = sum.point;
    p.a = in.index(), p.b = in.index(), p.key = in.key(), p.point = in.vector(), p.normal = in.vector();
    p.gap = in.number(), p.impulse = in.vector(), p.slip = in.number();
    p.state = static_cast<ContactPoint::State>(in.index());
    sum.normal_impulse = in.number();
  }
  return result;
}

}  // namespace tumble::simulate
