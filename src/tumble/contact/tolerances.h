#pragma once

namespace tumble::contact {

/// A soft layer without a given thickness carries this many times the weight of the lighter body, and is at most this part of the
/// smaller body's size.
inline constexpr double kLayerLoads = 10, kThickestLayer = 0.5;

/// The contact offset is this part of accuracy times size, and at least so many roundings (2^-52) of the coordinates.
inline constexpr double kOffsetShare = 1e-2, kOffsetRoundings = 64;

}  // namespace tumble::contact
