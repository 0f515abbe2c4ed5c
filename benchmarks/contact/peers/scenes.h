// The scenes.
#pragma once

#include "contact/peers/world.h"

namespace contact_peers {

/// Ten cubes of 0.5 m that touch exactly. Nine of 1 kg and a heavy one on top; or each twice as heavy as the
/// one below, up to 512 kg.
World stack(double top_mass);
World doubling_stack();
/// Fifteen capsules with limited, damped joints, thrown down eight steps at 1.5 m/s; 6 s.
World ragdoll_on_stairs();
/// Links of 0.1 m and 1 kg on ball joints, released in a horizontal position; 2 s.
World chain(int links);
/// Cubes of 0.2 m at random angles, dropped between four walls.
World pile(int boxes);

}  // namespace contact_peers
