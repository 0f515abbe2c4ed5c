// The manifest of a recording, part N/run.json. All lengths in m, angles in rad, coordinates of the scene.
import type {Quat, Vec3} from "../math/vector";

export type Range = [number, number];

/** Limits of a joint. Only the keys that the joint has. */
export interface Limits {
  angle?: Range;
  travel?: Range;
  distance?: Range; // of the two points, m
  twist?: Range;
  swing?: number[]; // 1: cone, 2: ellipse, 4: lo hi lo hi
  x?: Range;
  y?: Range;
  z?: Range;
}

export interface Body {
  name: string;
  node: number;
  fixed: boolean;
  scripted: boolean;
  mass: number | null;
  center: Vec3;
  principal: {moments: Vec3; quaternion: Quat} | null;
}

export interface Joint {
  name: string;
  type: string;
  a: number; // index of a body, -1: the world
  b: number;
  point_a: Vec3;
  point_b: Vec3;
  axis_a: Vec3 | null;
  axis_b: Vec3 | null;
  frame_a: Quat;
  frame_b: Quat;
  limits: Limits;
  comfort: Limits;
  xml: string;
}

export interface Spring {
  name: string;
  a: number;
  b: number;
  point_a: Vec3;
  point_b: Vec3;
  rest: number | null;
}

/** A promise of the run, and how it was held. */
export interface PromiseRow {
  name: string;
  value: number | null;
  bound: number | null;
  unit: string;
  held: boolean;
  /** Of the largest value or, if it was not held, of the first breach. */
  worst: {t: number; body?: string | null; other?: string | null; joint?: string | null} | null;
  says: string;
}

export interface Manifest {
  format: 1;
  scene: string;
  version: string;
  method: string;
  integrator: string;
  accuracy: number;
  fps: number;
  first_frame: number;
  frames: number;
  frames_per_block: number;
  precision: "f64" | "f32";
  numbers_per_body: 7 | 13;
  up: Vec3;
  gravity?: Vec3; // m/s^2
  size: number;
  /** What the motion fills: a sphere, and boxes (least and largest corner) of bodies over all frames. */
  focus: {center: Vec3; radius: number; boxes?: [Vec3, Vec3][]};
  command: string;
  bodies: Body[];
  joints: Joint[];
  springs: Spring[];
  log: {rows: number; columns: {name: string; unit: string}[]; every?: number}; // every n-th row of the run's log
  contacts: boolean;
  reactions: boolean;
  warnings: string[];
  summary: Record<string, unknown> | null;
  promises: PromiseRow[];
  inputs: string | null;
  settings: string[];
  compare?: boolean; // there is a recording 1 to compare with
  plots?: string[][]; // quantities that are plotted when the page opens, one list a diagram
}

/** Reads a manifest. Throws an Error that says what is wrong with it. */
export function parseManifest(text: string, part: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${part} is not JSON: ${(error as Error).message}`);
  }
  const m = value as Manifest;
  const refuse = (what: string): never => {
    throw new Error(`${part}: ${what}`);
  };
  if (typeof m !== "object" || m === null) return refuse("is not an object");
  if (m.format !== 1) refuse(`has format ${String(m.format)}, this page reads format 1`);
  for (const key of ["fps", "frames", "frames_per_block"] as const)
    if (!(m[key] > 0)) refuse(`${key} must be a positive number`);
  if (m.precision !== "f64" && m.precision !== "f32") refuse("precision must be f64 or f32");
  if (m.numbers_per_body !== 7 && m.numbers_per_body !== 13) refuse("numbers_per_body must be 7 or 13");
  if (!Array.isArray(m.bodies)) refuse("has no bodies");
  m.first_frame ??= 0;
  m.up ??= [0, 1, 0];
  m.joints ??= [];
  m.springs ??= [];
  m.promises ??= [];
  m.warnings ??= [];
  m.settings ??= [];
  m.log ??= {rows: 0, columns: []};
  m.focus ??= {center: [0, 0, 0], radius: m.size ?? 1};
  for (const joint of m.joints) {
    joint.limits ??= {};
    joint.comfort ??= {};
    for (const index of [joint.a, joint.b])
      if (index < -1 || index >= m.bodies.length) refuse(`joint ${joint.name} names body ${index}`);
  }
  return m;
}

/** The time of frame k of the recording, counted from its first one. */
export const timeOfFrame = (m: Manifest, k: number): number => (m.first_frame + k) / m.fps;
export const firstTime = (m: Manifest): number => timeOfFrame(m, 0);
export const lastTime = (m: Manifest): number => timeOfFrame(m, m.frames - 1);
