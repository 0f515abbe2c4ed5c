// Vectors and quaternions as plain arrays of doubles. Quaternions are [w, x, y, z], unit, and turn the
// coordinates of a body into those of the scene.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

export const ZERO: Vec3 = [0, 0, 0];
export const IDENTITY: Quat = [1, 0, 0, 0];

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const norm = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export function normalized(a: Vec3): Vec3 {
  const length = norm(a);
  return length > 0 ? scale(a, 1 / length) : [1, 0, 0];
}

/** A unit vector perpendicular to `a`. */
export function perpendicular(a: Vec3): Vec3 {
  const [x, y, z] = [Math.abs(a[0]), Math.abs(a[1]), Math.abs(a[2])];
  return normalized(cross(a, x <= y && x <= z ? [1, 0, 0] : y <= z ? [0, 1, 0] : [0, 0, 1]));
}

export const conjugate = (q: Quat): Quat => [q[0], -q[1], -q[2], -q[3]];

export function multiply(a: Quat, b: Quat): Quat {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

/** The vector v of the body's frame in the scene's frame. */
export function rotate(q: Quat, v: Vec3): Vec3 {
  const u: Vec3 = [q[1], q[2], q[3]],
    t = scale(cross(u, v), 2),
    s = cross(u, t);
  return [v[0] + q[0] * t[0] + s[0], v[1] + q[0] * t[1] + s[1], v[2] + q[0] * t[2] + s[2]];
}

/** The rotation a fraction f of the way from a to b, at constant angular velocity, along the shorter way. */
export function slerp(a: Quat, b: Quat, f: number): Quat {
  const cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cosine < 0 ? -1 : 1;
  // Half of the angle between a and b on the sphere, from chords: the arc cosine has few digits near one.
  const apart = Math.hypot(...a.map((x, i) => x - sign * b[i]));
  const together = Math.hypot(...a.map((x, i) => x + sign * b[i]));
  const angle = 2 * Math.atan2(apart, together);
  const sine = Math.sin(angle);
  const NO_ANGLE = 1e-12;
  const u = sine < NO_ANGLE ? 1 - f : Math.sin((1 - f) * angle) / sine;
  const v = sign * (sine < NO_ANGLE ? f : Math.sin(f * angle) / sine);
  const q: Quat = [u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3]];
  const n = Math.hypot(...q);
  return [q[0] / n, q[1] / n, q[2] / n, q[3] / n];
}

/** The rotation vector of q: its axis times its angle, at most pi long. */
export function rotationVector(q: Quat): Vec3 {
  const w = q[0] < 0 ? -q[0] : q[0],
    sign = q[0] < 0 ? -1 : 1;
  const v: Vec3 = [sign * q[1], sign * q[2], sign * q[3]],
    sine = norm(v);
  return scale(v, sine < 1e-9 ? 2 : (2 * Math.atan2(sine, w)) / sine);
}

/** The rotation with rotation vector r: exp(r). */
export function fromRotationVector(r: Vec3): Quat {
  const angle = norm(r),
    s = angle < 1e-9 ? 0.5 : Math.sin(angle / 2) / angle;
  return [Math.cos(angle / 2), r[0] * s, r[1] * s, r[2] * s];
}
