#pragma once

namespace tumble::scene {

/// A quaternion this far from unit length was rounded when it was written down; farther is a slip.
inline constexpr double kUnitLengthSlack = 1e-3;

}  // namespace tumble::scene
