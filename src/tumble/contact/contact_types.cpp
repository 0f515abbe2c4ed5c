#include "tumble/contact/contact_types.h"

namespace tumble::contact {

const CachedContact* ContactCache::find(const ContactPoint& point) const {
  const auto known = std::lower_bound(
      contacts.begin(), contacts.end(), std::tuple(point.a, point.b, point.contact.key),
      [](const CachedContact& x, const auto& name) { return std::tuple(x.a, x.b, x.key) < name; });
  if (known != contacts.end() &&
      std::tuple(known->a, known->b, known->key) == std::tuple(point.a, point.b, point.contact.key))
    return &*known;
  const CachedContact* nearest = nullptr;
  double least = point.same_point_distance;
  for (auto c = std::lower_bound(
           contacts.begin(), contacts.end(), std::pair(point.a, point.b),
           [](const CachedContact&x, const auto&pair) { return std::pair(x.a, x.b) < pair; });
       c != contacts.end() && c->a == point.a && c->b == point.b; ++c) {
    if (const double distance = (c->point_A - point.point_A).norm(); distance < least)
      least = distance, nearest = &*c;
  }
  return nearest;
}

ContactPoint& ContactSet::add(const ContactPoint& point) {
  points_.push_back(point);
  index(static_cast<uint32_t>(points_.size() - 1));
  return points_.back();
}

void ContactSet::index(uint32_t i) {
  ContactPoint& point = points_[i];
  point.next_of_pair = 0;
  auto pair = find_pair(point.a, point.b);
  if (pair == pairs_.end() || pair->a != point.a || pair->b != point.b) {
    pairs_.insert(pair, {point.a, point.b, i, i});
    return;
  }
  PairRange& range = pairs_[static_cast<size_t>(pair - pairs_.begin())];
  points_[range.last].next_of_pair = i;
  range.last = i;
}

}  // namespace tumble::contact
