// Quantities over time, by name. Every number that the page shows has one of these names:
//   COLUMN                          a column of the log, for example energy
//   BODY.x .y .z .vx … .wz          from the frames: centre of mass, velocity, angular velocity
//   BODY.speed .spin .kinetic .momentum .spin-momentum     from these
//   JOINT.angle .travel .swing .twist .rx .ry .rz          coordinates of a joint
//   JOINT.fx … .tz .effort          from the reactions
//   contacts.count, contacts.force  from the contacts of the frames; BODY.contact-force
//   difference.BODY                 distance of the centre of mass from that in the other recording
//   other:COLUMN                    a column of the log of the other recording
import type {App} from "../app";
import type {FrameBlock} from "../data/frames";
import {interpolate, locate, STATE_NUMBERS} from "../data/frames";
import type {Body, Joint} from "../data/manifest";
import type {Recording} from "../data/recording";
import {relativeRotation, swingOf, twistOf, wrap} from "../limits/limit_set";
import type {Quat, Vec3} from "../math/vector";
import {add, conjugate, dot, multiply, norm, rotate, rotationVector, sub} from "../math/vector";

export interface Series {
  name: string;
  unit: string;
  t: Float64Array;
  y: Float64Array;
}

export interface BodyState {
  x: Vec3;
  q: Quat;
  v: Vec3;
  w: Vec3;
}

interface BodyQuantity {
  unit: string;
  of: (state: BodyState, body: Body) => number;
}

/** Angular momentum about the centre of mass, world axes. */
export function spinMomentum({q, w}: BodyState, body: Body): Vec3 {
  if (!body.principal) return [0, 0, 0];
  const turn = multiply(q, body.principal.quaternion),
    u = rotate(conjugate(turn), w),
    {moments} = body.principal;
  return rotate(turn, [u[0] * moments[0], u[1] * moments[1], u[2] * moments[2]]);
}

export function kineticEnergy(state: BodyState, body: Body): number {
  return 0.5 * (body.mass ?? 0) * dot(state.v, state.v) + 0.5 * dot(state.w, spinMomentum(state, body));
}

export const BODY_QUANTITIES: Record<string, BodyQuantity> = {
  x: {unit: "m", of: (s) => s.x[0]},
  y: {unit: "m", of: (s) => s.x[1]},
  z: {unit: "m", of: (s) => s.x[2]},
  speed: {unit: "m/s", of: (s) => norm(s.v)},
  vx: {unit: "m/s", of: (s) => s.v[0]},
  vy: {unit: "m/s", of: (s) => s.v[1]},
  vz: {unit: "m/s", of: (s) => s.v[2]},
  spin: {unit: "rad/s", of: (s) => norm(s.w)},
  wx: {unit: "rad/s", of: (s) => s.w[0]},
  wy: {unit: "rad/s", of: (s) => s.w[1]},
  wz: {unit: "rad/s", of: (s) => s.w[2]},
  kinetic: {unit: "J", of: kineticEnergy},
  momentum: {unit: "kg m/s", of: (s, body) => (body.mass ?? 0) * norm(s.v)},
  "spin-momentum": {unit: "kg m²/s", of: (s, body) => norm(spinMomentum(s, body))},
};

export function stateOf(numbers: Float64Array, body: number): BodyState {
  const n = numbers,
    o = body * STATE_NUMBERS;
  return {
    x: [n[o], n[o + 1], n[o + 2]],
    q: [n[o + 3], n[o + 4], n[o + 5], n[o + 6]],
    v: [n[o + 7], n[o + 8], n[o + 9]],
    w: [n[o + 10], n[o + 11], n[o + 12]],
  };
}

function stateAt(block: FrameBlock, frame: number, slot: number): BodyState {
  return {
    x: block.position(frame, slot),
    q: block.rotation(frame, slot),
    v: block.velocity(frame, slot),
    w: block.angularVelocity(frame, slot),
  };
}

const OTHER = "other:";

/** Coordinates of a joint and their units, as far as its type has them. */
export const JOINT_QUANTITIES: Record<string, {unit: string; has: (joint: Joint) => boolean}> = {
  angle: {unit: "rad", has: (joint) => joint.type === "hinge"},
  travel: {unit: "m", has: (joint) => joint.type === "slider" || joint.type === "cylindrical"},
  twist: {unit: "rad", has: (joint) => joint.type === "ball" || joint.type === "cylindrical"},
  swing: {unit: "rad", has: (joint) => joint.type === "ball" || joint.type === "constant-velocity"},
  rx: {unit: "rad", has: (joint) => joint.type === "ball"},
  ry: {unit: "rad", has: (joint) => joint.type === "ball"},
  rz: {unit: "rad", has: (joint) => joint.type === "ball"},
};
const REACTIONS = ["fx", "fy", "fz", "tx", "ty", "tz", "effort"];

export interface Placed {
  origin: (point: Vec3) => Vec3; // of the body's own frame to the scene
  rotation: Quat;
}

/** A coordinate of a joint from the poses of its bodies. */
export function jointCoordinate(joint: Joint, what: string, a: Placed, b: Placed): number {
  const d = relativeRotation(a.rotation, joint.frame_a, b.rotation, joint.frame_b);
  if (what === "travel") {
    const axis = rotate(multiply(a.rotation, joint.frame_a), [1, 0, 0]);
    return dot(axis, sub(b.origin(joint.point_b), a.origin(joint.point_a)));
  }
  if (what === "swing") return Math.hypot(...swingOf(d));
  if (what === "angle" || what === "twist") return twistOf(d);
  return rotationVector(d)[what === "rx" ? 0 : what === "ry" ? 1 : 2];
}

/** The quantities of one page. */
export class SeriesBook {
  private readonly made = new Map<string, Promise<Series>>();

  constructor(private readonly app: App) {}

  private get recording(): Recording {
    return this.app.recording;
  }

  /** The series of a name. Rejects if there is none of this name. */
  get(name: string): Promise<Series> {
    let found = this.made.get(name);
    if (!found) {
      found = this.make(name);
      this.made.set(name, found);
      found.catch(() => this.made.delete(name));
    }
    return found;
  }

  /** Names that can be plotted without a selection: those of the log and of all contacts. */
  general(): string[] {
    const names = this.recording.log.columns.map((column) => column.name).filter((name) => name !== "t");
    if (this.recording.manifest.contacts) names.push("contacts.count", "contacts.force");
    for (const column of this.app.ghost?.recording.log.columns ?? [])
      if (column.name !== "t") names.push(OTHER + column.name);
    return names;
  }

  private async make(name: string): Promise<Series> {
    const column = this.recording.log.column(name);
    if (column) return {name, unit: column.unit, t: this.recording.log.times, y: column.values};
    if (name.startsWith("difference.")) return this.makeDifference(name);
    if (name.startsWith(OTHER)) return this.readOther(name);
    if (name === "contacts.count" || name === "contacts.force") return this.makeContacts(name, null);
    const dotAt = name.lastIndexOf("."),
      owner = name.slice(0, dotAt),
      what = name.slice(dotAt + 1);
    const body = this.recording.bodyIndex(owner),
      joint = this.recording.jointIndex(owner);
    if (body >= 0 && what === "contact-force") return this.makeContacts(name, body);
    if (body >= 0 && BODY_QUANTITIES[what]) return this.makeBody(name, body, BODY_QUANTITIES[what]);
    if (joint >= 0 && JOINT_QUANTITIES[what]) return this.makeJoint(name, joint, what);
    if (joint >= 0 && REACTIONS.includes(what) && this.recording.manifest.reactions)
      return this.makeReaction(name, joint, what);
    throw new Error(`there is no quantity ${name} to plot`);
  }

  private empty(name: string, unit: string): Series {
    const {frames} = this.recording.manifest;
    return {
      name,
      unit,
      t: Float64Array.from({length: frames}, (_, k) => this.recording.timeOf(k)),
      y: new Float64Array(frames),
    };
  }

  private async makeBody(name: string, body: number, quantity: BodyQuantity): Promise<Series> {
    const series = this.empty(name, quantity.unit),
      slot = this.recording.layout.slotOf[body];
    if (slot < 0) throw new Error(`${this.app.nameOf(body)} is fixed: there is nothing to plot`);
    const about = this.recording.manifest.bodies[body];
    await this.recording.eachFrame((block, frame) => {
      series.y[frame] = quantity.of(stateAt(block, frame, slot), about);
    });
    return series;
  }

  private async makeJoint(name: string, index: number, what: string): Promise<Series> {
    const {recording} = this,
      joint = recording.manifest.joints[index];
    const series = this.empty(name, JOINT_QUANTITIES[what].unit);
    let before = 0;
    await recording.eachFrame((block, frame) => {
      const value = jointCoordinate(
        joint,
        what,
        this.place(block, frame, joint.a),
        this.place(block, frame, joint.b),
      );
      // The angle of a hinge counts turns.
      before = series.y[frame] = what === "angle" || what === "twist" ? wrap(value, before) : value;
    });
    return series;
  }

  /** Where a body is in a frame. */
  place(block: FrameBlock, frame: number, body: number): Placed {
    const slot = body < 0 ? -1 : this.recording.layout.slotOf[body];
    if (slot < 0)
      return {origin: (p) => this.app.model.toScene(body, p), rotation: this.app.model.rotationOf(body)};
    const q = block.rotation(frame, slot),
      x = block.position(frame, slot);
    const {center} = this.recording.manifest.bodies[body];
    return {origin: (p) => add(x, rotate(q, sub(p, center))), rotation: q};
  }

  private async makeContacts(name: string, body: number | null): Promise<Series> {
    const count = name === "contacts.count",
      series = this.empty(name, count ? "" : "N");
    await this.recording.eachContactBlock((block, first, frames) => {
      for (let frame = first; frame < first + frames; ++frame)
        for (const contact of block.at(frame))
          if (body === null || contact.a === body || contact.b === body)
            series.y[frame] += count ? 1 : contact.force;
    });
    return series;
  }

  private async makeReaction(name: string, joint: number, what: string): Promise<Series> {
    const {type} = this.recording.manifest.joints[joint],
      n = REACTIONS.indexOf(what);
    const travels = type === "slider" || type === "cylindrical";
    const series = this.empty(name, n < 3 || (n === 6 && travels) ? "N" : "N m");
    await this.recording.eachReactionBlock((block, first, frames) => {
      for (let frame = first; frame < first + frames; ++frame) {
        const {force, torque, effort} = block.at(frame, joint);
        series.y[frame] = [...force, ...torque, effort][n];
      }
    });
    return series;
  }

  private readOther(name: string): Series {
    const log = this.app.ghost?.recording.log;
    const column = log?.column(name.slice(OTHER.length));
    if (!log || !column) throw new Error(`there is no quantity ${name} to plot`);
    return {name, unit: column.unit, t: log.times, y: column.values};
  }

  private async makeDifference(name: string): Promise<Series> {
    const bodyName = name.slice("difference.".length),
      {ghost} = this.app;
    if (!ghost) throw new Error("there is no second recording to compare with");
    const mine = this.recording.bodyIndex(bodyName),
      other = ghost.recording.bodyIndex(bodyName);
    const slot = this.recording.layout.slotOf[mine] ?? -1;
    if (mine < 0 || other < 0 || slot < 0 || ghost.recording.layout.slotOf[other] < 0)
      throw new Error(`${bodyName} does not move in both recordings`);
    const last = Math.min(this.recording.end, ghost.recording.end);
    const theirs = await readPath(ghost.recording, other),
      all = this.empty(name, "m");
    const frames = all.t.filter((t) => t <= last + 1e-9).length;
    await this.recording.eachFrame(
      (block, frame) => {
        all.y[frame] = norm(sub(block.position(frame, slot), theirs(all.t[frame])));
      },
      0,
      frames - 1,
    );
    return {...all, t: all.t.subarray(0, frames), y: all.y.subarray(0, frames)};
  }
}

/** The centre of mass of a body as a function of time, read once. */
async function readPath(recording: Recording, body: number): Promise<(t: number) => Vec3> {
  const slot = recording.layout.slotOf[body],
    {frames} = recording.manifest;
  const points = new Float64Array(3 * frames);
  await recording.eachFrame((block, frame) => points.set(block.position(frame, slot), 3 * frame));
  const a = new Float64Array(STATE_NUMBERS),
    b = new Float64Array(STATE_NUMBERS),
    out = new Float64Array(STATE_NUMBERS);
  a[3] = b[3] = 1;
  return (t) => {
    const {frame, fraction} = locate(recording.manifest, t);
    a.set(points.subarray(3 * frame, 3 * frame + 3));
    if (fraction === 0) return [a[0], a[1], a[2]];
    b.set(points.subarray(3 * frame + 3, 3 * frame + 6));
    interpolate(a, b, fraction, [0], out);
    return [out[0], out[1], out[2]];
  };
}
