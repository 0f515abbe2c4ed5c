// Sums over all contact points of a frame.
#pragma once

#include <vector>

#include "tumble/plot/series.h"

namespace tumble::plot {

/// Numbers of each frame that has contacts; frames without any are missing.
struct ContactSums {
  std::vector<double> t, count, impulse;  // s, 1, N s
  void add(double time, double normal_impulse);
};

inline constexpr const char *kContactCount = "contacts.count", *kContactForce = "contacts.force";

/// contacts.count or contacts.force: the normal impulses of a frame, divided by the time between frames. This
/// is the shortest time between two frames with contacts. Frames without contacts have 0.
Series contact_series(const ContactSums& sums, const char* name);

}  // namespace tumble::plot
