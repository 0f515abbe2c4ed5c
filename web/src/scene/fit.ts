// Where a camera must be so that everything is in the picture. With n the inward normal of a side of the view
// pyramid, f the direction of the view and d the distance, a point p is inside if n·(p − target) + d n·f ≥ 0.
// The target is moved to the middle between opposite sides, where both ask for the same distance.
import * as THREE from "three";

/** A box in any position, in coordinates of the picture. */
export interface Extent {
  center: THREE.Vector3;
  half: THREE.Vector3;
  turn: THREE.Matrix3; // its axes are the columns
  radius: number; // of a sphere around the centre that contains it, too
}

export interface Fit {
  target: THREE.Vector3;
  distance: number;
  half: {x: number; y: number}; // m; what a parallel projection must show on either side of the target
}

function reach({center, half, turn, radius}: Extent, n: THREE.Vector3): number {
  const e = turn.elements;
  const box =
    half.x * Math.abs(e[0] * n.x + e[1] * n.y + e[2] * n.z) +
    half.y * Math.abs(e[3] * n.x + e[4] * n.y + e[5] * n.z) +
    half.z * Math.abs(e[6] * n.x + e[7] * n.y + e[8] * n.z);
  return n.dot(center) + Math.min(box, radius);
}

/** What the two sides across one axis ask for, seen from a target. */
function sides(
  extents: Extent[],
  target: THREE.Vector3,
  axis: THREE.Vector3,
  forward: THREE.Vector3,
  tangent: number,
): {distance: number; shift: number; half: number} {
  const cosine = 1 / Math.hypot(1, tangent),
    sine = tangent * cosine;
  const low = axis.clone().multiplyScalar(-cosine).addScaledVector(forward, -sine),
    high = axis.clone().multiplyScalar(cosine).addScaledVector(forward, -sine);
  let l = -Infinity,
    h = -Infinity;
  for (const extent of extents) {
    l = Math.max(l, reach(extent, low) - low.dot(target));
    h = Math.max(h, reach(extent, high) - high.dot(target));
  }
  return {distance: (l + h) / (2 * sine), shift: (h - l) / (2 * cosine), half: Math.max(l, h)};
}

/**
 * The nearest camera that sees all of `extents`. `from`: towards the camera; `tangents`: of half the field of
 * view across and upwards.
 */
export function fit(extents: Extent[], from: THREE.Vector3, tangents: {x: number; y: number}): Fit {
  const forward = from.clone().normalize().negate(),
    UP = new THREE.Vector3(0, 1, 0);
  const right = forward.clone().cross(UP);
  if (right.length() < 1e-6) right.set(1, 0, 0); // from straight above
  right.normalize();
  const up = right.clone().cross(forward),
    target = extents[0].center.clone();
  const x = sides(extents, target, right, forward, tangents.x),
    y = sides(extents, target, up, forward, tangents.y),
    distance = Math.max(x.distance, y.distance);
  /** Of the narrowest pair of sides that contains everything at the distance: it centres the motion. */
  const shiftAlong = (axis: THREE.Vector3, tangent: number): number => {
    let narrow = 0,
      wide = tangent;
    for (let i = 0; i < 12; ++i) {
      const middle = (narrow + wide) / 2;
      if (sides(extents, target, axis, forward, middle).distance > distance) narrow = middle;
      else wide = middle;
    }
    return sides(extents, target, axis, forward, wide).shift;
  };
  const moved = target
    .clone()
    .addScaledVector(right, shiftAlong(right, tangents.x))
    .addScaledVector(up, shiftAlong(up, tangents.y));
  // The distance counts from a target in the middle of the depth of what is seen, so that one turns about it.
  let near = -Infinity,
    far = -Infinity;
  for (const extent of extents) {
    near = Math.max(near, reach(extent, forward.clone().negate()) + forward.dot(moved));
    far = Math.max(far, reach(extent, forward) - forward.dot(moved));
  }
  const depth = (far - near) / 2;
  moved.addScaledVector(forward, depth);
  return {
    target: moved,
    distance: distance + depth,
    half: {
      x: sides(extents, moved, right, forward, 0).half,
      y: sides(extents, moved, up, forward, 0).half,
    },
  };
}
