// Contacts of the frames of a block: rows of CONTACT_COLUMNS doubles, in order of frames.
import type {Vec3} from "../math/vector";
import type {Block} from "./blocks";

export const CONTACT_COLUMNS = 16;
export type ContactState = "stick" | "slip" | "impact";
const STATES: ContactState[] = ["stick", "slip", "impact"];

export interface Contact {
  a: number; // indices of bodies
  b: number;
  point: Vec3; // midway between the surfaces, m
  normal: Vec3; // from b towards a
  gap: number; // m
  jn: number; // N s since the last frame
  impulse: Vec3; // N s on a since the last frame
  force: number; // N: jn times fps, the mean since the last frame
  slip: number; // m/s
  state: ContactState;
}

export class ContactBlock implements Block {
  private readonly rows: Float64Array;

  constructor(
    index: number,
    data: ArrayBuffer,
    private readonly fps: number,
  ) {
    if (data.byteLength % (8 * CONTACT_COLUMNS) !== 0)
      throw new Error(`contacts/${index} has ${data.byteLength} bytes, which is no whole number of rows`);
    this.rows = new Float64Array(data);
  }

  get bytes(): number {
    return this.rows.byteLength;
  }

  /** The contacts of frame `frame` of the recording. */
  at(frame: number): Contact[] {
    const found: Contact[] = [],
      r = this.rows;
    for (
      let i = this.lowerBound(frame) * CONTACT_COLUMNS;
      i < r.length && r[i] === frame;
      i += CONTACT_COLUMNS
    )
      found.push({
        a: r[i + 1],
        b: r[i + 2],
        point: [r[i + 3], r[i + 4], r[i + 5]],
        normal: [r[i + 6], r[i + 7], r[i + 8]],
        gap: r[i + 9],
        jn: r[i + 10],
        impulse: [r[i + 11], r[i + 12], r[i + 13]],
        force: r[i + 10] * this.fps,
        slip: r[i + 14],
        state: STATES[r[i + 15]] ?? "stick",
      });
    return found;
  }

  /** The first row whose frame is not below `frame`. */
  private lowerBound(frame: number): number {
    let lo = 0,
      hi = this.rows.length / CONTACT_COLUMNS;
    while (lo < hi) {
      const middle = (lo + hi) >> 1;
      if (this.rows[middle * CONTACT_COLUMNS] < frame) lo = middle + 1;
      else hi = middle;
    }
    return lo;
  }
}
