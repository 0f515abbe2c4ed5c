// Frames: poses and velocities of the bodies that move. A block of them is one part.
import type {Quat, Vec3} from "../math/vector";
import {conjugate, multiply, rotationVector, scale, slerp, sub} from "../math/vector";
import type {Manifest} from "./manifest";
import type {Block} from "./blocks";

/** Numbers a body in a State: x y z, qw qx qy qz, vx vy vz, wx wy wz. */
export const STATE_NUMBERS = 13;

/** How the numbers of a frame are laid out. */
export class FrameLayout {
  readonly moving: number[]; // index of the body of each slot
  readonly slotOf: Int32Array; // slot of each body, -1: fixed
  readonly numbersPerFrame: number;

  constructor(readonly manifest: Manifest) {
    this.moving = [];
    this.slotOf = new Int32Array(manifest.bodies.length).fill(-1);
    manifest.bodies.forEach((body, i) => {
      if (!body.fixed) this.slotOf[i] = this.moving.push(i) - 1;
    });
    this.numbersPerFrame = 1 + this.moving.length * manifest.numbers_per_body;
  }

  get blocks(): number {
    return Math.ceil(this.manifest.frames / this.manifest.frames_per_block);
  }
  blockOf(frame: number): number {
    return Math.floor(frame / this.manifest.frames_per_block);
  }
  framesIn(block: number): number {
    const {frames, frames_per_block: size} = this.manifest;
    return Math.min(size, frames - block * size);
  }
}

/** A decoded block of frames. */
export class FrameBlock implements Block {
  readonly first: number;
  readonly count: number;
  private readonly numbers: Float64Array | Float32Array;

  constructor(
    private readonly layout: FrameLayout,
    index: number,
    data: ArrayBuffer,
  ) {
    const width = layout.manifest.precision === "f64" ? 8 : 4;
    this.first = index * layout.manifest.frames_per_block;
    this.count = layout.framesIn(index);
    const expected = this.count * layout.numbersPerFrame * width;
    if (data.byteLength !== expected)
      throw new Error(`frames/${index} has ${data.byteLength} bytes, expected ${expected}`);
    this.numbers = width === 8 ? new Float64Array(data) : new Float32Array(data);
  }

  get bytes(): number {
    return this.numbers.byteLength;
  }

  /** Where the numbers of a slot begin, in frame `frame` of the recording. */
  private at(frame: number, slot: number): number {
    return (
      (frame - this.first) * this.layout.numbersPerFrame + 1 + slot * this.layout.manifest.numbers_per_body
    );
  }

  position(frame: number, slot: number): Vec3 {
    const i = this.at(frame, slot),
      n = this.numbers;
    return [n[i], n[i + 1], n[i + 2]];
  }
  rotation(frame: number, slot: number): Quat {
    const i = this.at(frame, slot) + 3,
      n = this.numbers;
    return [n[i], n[i + 1], n[i + 2], n[i + 3]];
  }
  velocity(frame: number, slot: number): Vec3 {
    if (this.layout.manifest.numbers_per_body === 13) return this.triple(this.at(frame, slot) + 7);
    const [k, l] = this.neighbours(frame);
    if (k === l) return [0, 0, 0];
    return scale(sub(this.position(l, slot), this.position(k, slot)), this.layout.manifest.fps / (l - k));
  }
  angularVelocity(frame: number, slot: number): Vec3 {
    if (this.layout.manifest.numbers_per_body === 13) return this.triple(this.at(frame, slot) + 10);
    const [k, l] = this.neighbours(frame);
    if (k === l) return [0, 0, 0];
    const turn = multiply(this.rotation(l, slot), conjugate(this.rotation(k, slot)));
    return scale(rotationVector(turn), this.layout.manifest.fps / (l - k));
  }

  private triple(i: number): Vec3 {
    return [this.numbers[i], this.numbers[i + 1], this.numbers[i + 2]];
  }
  /** The frames of this block beside a frame, for differences. */
  private neighbours(frame: number): [number, number] {
    return [Math.max(this.first, frame - 1), Math.min(this.first + this.count - 1, frame + 1)];
  }

  /** Writes the state of every moving body at a frame into `out`, STATE_NUMBERS numbers a body. */
  write(frame: number, out: Float64Array): void {
    const {moving} = this.layout;
    for (let slot = 0; slot < moving.length; ++slot) {
      const o = moving[slot] * STATE_NUMBERS;
      if (this.layout.manifest.numbers_per_body === 13) {
        const i = this.at(frame, slot);
        for (let n = 0; n < STATE_NUMBERS; ++n) out[o + n] = this.numbers[i + n];
      } else {
        out.set(this.position(frame, slot), o);
        out.set(this.rotation(frame, slot), o + 3);
        out.set(this.velocity(frame, slot), o + 7);
        out.set(this.angularVelocity(frame, slot), o + 10);
      }
    }
  }
}

/**
 * The states a fraction f of the way from `a` to `b`: positions and velocities in proportion, rotations by
 * slerp. Writes bodies `moving` into `out`.
 */
export function interpolate(
  a: Float64Array,
  b: Float64Array,
  f: number,
  moving: number[],
  out: Float64Array,
): void {
  for (const body of moving) {
    const o = body * STATE_NUMBERS;
    for (let n = 0; n < STATE_NUMBERS; ++n) out[o + n] = a[o + n] + f * (b[o + n] - a[o + n]);
    const q = slerp([a[o + 3], a[o + 4], a[o + 5], a[o + 6]], [b[o + 3], b[o + 4], b[o + 5], b[o + 6]], f);
    out.set(q, o + 3);
  }
}

/** Where time t lies between frames: fraction 0 exactly at a frame. */
export function locate(manifest: Manifest, t: number): {frame: number; fraction: number} {
  const k = Math.min(Math.max(t * manifest.fps - manifest.first_frame, 0), manifest.frames - 1);
  const nearest = Math.round(k);
  // t came from k / fps or from typed digits: the same frame.
  const SAME_FRAME = 1e-6;
  if (Math.abs(k - nearest) < SAME_FRAME) return {frame: nearest, fraction: 0};
  const frame = Math.floor(k);
  return {frame, fraction: k - frame};
}
