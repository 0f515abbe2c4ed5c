// Forces in the joints: for each frame of a block and each joint fx fy fz tx ty tz effort.
import type {Vec3} from "../math/vector";
import type {Block} from "./blocks";

const NUMBERS = 7;

export interface Reaction {
  force: Vec3; // N, of a on b, mean since the last frame
  torque: Vec3; // N m, about the joint's point on b
  effort: number;
}

export class ReactionBlock implements Block {
  private readonly numbers: Float64Array;

  constructor(
    private readonly first: number,
    count: number,
    private readonly joints: number,
    index: number,
    data: ArrayBuffer,
  ) {
    const expected = count * joints * NUMBERS * 8;
    if (data.byteLength !== expected)
      throw new Error(`reactions/${index} has ${data.byteLength} bytes, expected ${expected}`);
    this.numbers = new Float64Array(data);
  }

  get bytes(): number {
    return this.numbers.byteLength;
  }

  at(frame: number, joint: number): Reaction {
    const i = ((frame - this.first) * this.joints + joint) * NUMBERS,
      n = this.numbers;
    return {force: [n[i], n[i + 1], n[i + 2]], torque: [n[i + 3], n[i + 4], n[i + 5]], effort: n[i + 6]};
  }
}
