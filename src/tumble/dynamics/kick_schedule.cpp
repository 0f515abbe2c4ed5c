#include "tumble/dynamics/kick_schedule.h"

#include "tumble/dynamics/kick_joints.h"
#include "tumble/dynamics/kick_laws.h"
#include "tumble/dynamics/midpoint_inertia.h"

namespace tumble::dynamics {

static_assert(kBodiesPerPart % MidpointInertia::kLanes == 0);

KickSchedule plan_schedule(std::span<const int> order, const KickLaws& laws, const KickJoints& joints) {
  KickSchedule schedule;
  schedule.order.assign(order.begin(), order.end());
  const PartOfNodes part_of(order);
  std::vector<char> is_used(order.size(), 0);
  const auto use = [&](int node) {
    if (node == kNone || is_used[static_cast<size_t>(node)]) return;
    is_used[static_cast<size_t>(node)] = 1;
    schedule.first_uses.push_back(node);
  };
  // Marks the nodes of the laws or joints of a part as used, from `next` on.
  const auto use_all = [&](size_t part, const auto& list, const auto& nodes_of, size_t& next) {
    for (; next < list.size(); ++next) {
      const auto [a, b] = nodes_of(list[next]);
      if (part_of(a, b) != part) return;
      use(a), use(b);
    }
  };
  KickSchedule::Part next;
  for (size_t part = 0; part == 0 || part * kBodiesPerPart < order.size(); ++part) {
    schedule.parts.push_back(next);
    for (; next.node < std::min((part + 1) * kBodiesPerPart, order.size()); ++next.node)
      use(order[next.node]);
    use_all(
        part, laws.laws(), [](const KickLaws::Law& law) { return std::pair(law.a, law.b); }, next.law);
    use_all(
        part, joints.points(), [](const KickJoints::Point& point) { return std::pair(point.a, point.b); },
        next.point);
    use_all(
        part, joints.others(),
        [&](size_t joint) { return std::pair(joints.rows()[joint].a, joints.rows()[joint].b); }, next.other);
    next.first_use = schedule.first_uses.size();
  }
  schedule.parts.push_back(next);
  return schedule;
}

}  // namespace tumble::dynamics
