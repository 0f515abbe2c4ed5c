// The set of rotations that the limits of a joint allow. D is the rotation of b's joint frame in a's, its
// quaternion d, and e_0 the joint's axis. For each limit a function C >= 0 inside, in rad:
//   twist       theta = 2 atan2(d_x, d_w);   C = min(theta - lo, hi - theta), on the branch of the range
//   swing       theta_1, theta_2: the rotation that takes e_0 to D e_0 the shorter way, about axes 1 and 2
//               cone        C = p - |theta|
//               ellipse     C = m (1 - sqrt((theta_1/a_1)^2 + (theta_2/a_2)^2)), a_i = hi_i or -lo_i by the
//                           sign of theta_i, m the smallest of them
//   x, y, z     C = min(r_i - lo, hi - r_i), r the rotation vector of D
//   angle       of a hinge: like x
// The simulation's own functions (model/limits.h) have the same zeros.
import type {Limits, Range} from "../data/manifest";
import type {Quat, Vec3} from "../math/vector";
import {conjugate, multiply, norm, rotate, rotationVector} from "../math/vector";

/** The rotation of b's joint frame in a's. */
export function relativeRotation(bodyA: Quat, frameA: Quat, bodyB: Quat, frameB: Quat): Quat {
  return multiply(conjugate(multiply(bodyA, frameA)), multiply(bodyB, frameB));
}

export function twistOf(d: Quat): number {
  return wrap(2 * Math.atan2(d[1], d[0]), 0);
}

/** The swing of the joint's axis about the axes 1 and 2 of a. */
export function swingOf(d: Quat): [number, number] {
  const u = rotate(d, [1, 0, 0]),
    sine = Math.hypot(u[1], u[2]),
    angle = Math.atan2(sine, u[0]);
  const f = sine < 1e-12 ? 1 : angle / sine;
  return [-f * u[2], f * u[1]];
}

/** The angle plus whole turns, at most half a turn from `middle`. */
export function wrap(angle: number, middle: number): number {
  return angle - 2 * Math.PI * Math.round((angle - middle) / (2 * Math.PI));
}

export interface SwingBounds {
  lo1: number;
  hi1: number;
  lo2: number;
  hi2: number;
}

export function swingBounds(swing: number[]): SwingBounds {
  if (swing.length === 4) return {lo1: swing[0], hi1: swing[1], lo2: swing[2], hi2: swing[3]};
  const first = swing[0],
    second = swing[1] ?? swing[0];
  return {lo1: -first, hi1: first, lo2: -second, hi2: second};
}

const inRange = (value: number, [lo, hi]: Range): number => Math.min(value - lo, hi - value);
const angleInRange = (angle: number, range: Range): number =>
  inRange(range[1] - range[0] >= 2 * Math.PI ? angle : wrap(angle, (range[0] + range[1]) / 2), range);

function roomOfSwing(d: Quat, swing: number[]): number {
  const [theta1, theta2] = swingOf(d);
  if (swing.length === 1) return swing[0] - Math.hypot(theta1, theta2);
  const {lo1, hi1, lo2, hi2} = swingBounds(swing),
    least = Math.min(-lo1, hi1, -lo2, hi2);
  return least * (1 - Math.hypot(theta1 / (theta1 > 0 ? hi1 : -lo1), theta2 / (theta2 > 0 ? hi2 : -lo2)));
}

/** How far the rotation d is from the nearest limit, rad: negative outside, infinite without limits. */
export function room(limits: Limits, d: Quat): number {
  let least = Infinity;
  if (limits.twist) least = Math.min(least, angleInRange(twistOf(d), limits.twist));
  if (limits.swing?.length) least = Math.min(least, roomOfSwing(d, limits.swing));
  if (limits.x || limits.y || limits.z || limits.angle) {
    const r = rotationVector(d);
    if (limits.angle) least = Math.min(least, angleInRange(r[0], limits.angle));
    if (limits.x) least = Math.min(least, inRange(r[0], limits.x));
    if (limits.y) least = Math.min(least, inRange(r[1], limits.y));
    if (limits.z) least = Math.min(least, inRange(r[2], limits.z));
  }
  return least;
}

/**
 * The set of the comfort zone, as limits. Its one swing angle is a part of the smallest swing limit; the same
 * part of the others counts.
 */
export function comfortLimits(limits: Limits, comfort: Limits): Limits | null {
  const zone: Limits = {...limits};
  if (comfort.angle) zone.angle = comfort.angle;
  if (comfort.twist) zone.twist = comfort.twist;
  if (comfort.swing?.length && limits.swing?.length) {
    const {lo1, hi1, lo2, hi2} = swingBounds(limits.swing);
    const part = comfort.swing[0] / Math.min(-lo1, hi1, -lo2, hi2);
    zone.swing = limits.swing.map((angle) => angle * part);
  }
  const same = zone.angle === limits.angle && zone.twist === limits.twist && zone.swing === limits.swing;
  return same ? null : zone;
}

/** Directions of the joint's axis along the limit of swing, in joint axes of a; the last equals the first. */
export function boundaryOfSwing(swing: number[], steps: number): Vec3[] {
  const {lo1, hi1, lo2, hi2} = swingBounds(swing);
  return Array.from({length: steps + 1}, (_, i) => {
    const f = (2 * Math.PI * i) / steps,
      c = Math.cos(f),
      s = Math.sin(f);
    const theta1 = c * (c > 0 ? hi1 : -lo1),
      theta2 = s * (s > 0 ? hi2 : -lo2);
    const angle = Math.hypot(theta1, theta2),
      sine = angle < 1e-12 ? 1 : Math.sin(angle) / angle;
    return [Math.cos(angle), sine * theta2, -sine * theta1];
  });
}

/** A rotation vector of the same rotation that is nearest to `near`. */
export function nearestVector(r: Vec3, near: Vec3): Vec3 {
  const angle = norm(r);
  if (angle < 1e-9) return r;
  const along = (r[0] * near[0] + r[1] * near[1] + r[2] * near[2]) / angle;
  const f = wrap(angle, along) / angle;
  return [r[0] * f, r[1] * f, r[2] * f];
}
