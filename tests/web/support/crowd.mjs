// Parts of a recording of many equal boxes in a square on the floor, z up. They rise and sink.
import {writeGlb} from "./glb.mjs";

const FPS = 30,
  FRAMES = 31,
  SIDE = 0.5,
  DISTANCE = 1;

/** Centre of box i of a square with `side` boxes along each side, at time t. */
export const centerAt = (i, side, t) => [
  ((i % side) - (side - 1) / 2) * DISTANCE,
  (Math.floor(i / side) - (side - 1) / 2) * DISTANCE,
  SIDE + 0.2 * Math.sin(4 * t + i),
];

export function buildCrowd(side) {
  const count = side * side,
    boxes = [...Array(count).keys()],
    up = [1, 0, 0, 0];
  const frames = [];
  for (let k = 0; k < FRAMES; ++k) {
    frames.push(k / FPS);
    for (const i of boxes) {
      const t = k / FPS;
      frames.push(...centerAt(i, side, t), ...up, 0, 0, 0.8 * Math.cos(4 * t + i), 0, 0, 0);
    }
  }
  const colors = [
    [0.5, 0.1, 0.1],
    [0.1, 0.4, 0.1],
    [0.1, 0.2, 0.5],
  ];
  const bodies = [
    {
      name: "floor",
      position: [0, 0, -0.1],
      quaternion: up,
      box: [side + 1, side + 1, 0.2],
      color: [0.4, 0.4, 0.4],
    },
    ...boxes.map((i) => ({
      name: `box${i}`,
      position: centerAt(i, side, 0),
      quaternion: up,
      box: [SIDE, SIDE, SIDE],
      color: colors[i % 3],
    })),
  ];
  const moment = SIDE ** 2 / 6;
  const manifest = {
    format: 1,
    scene: "crowd",
    version: "0.0",
    method: "fast",
    integrator: "leapfrog",
    accuracy: 0.001,
    fps: FPS,
    first_frame: 0,
    frames: FRAMES,
    frames_per_block: FRAMES,
    precision: "f64",
    numbers_per_body: 13,
    up: [0, 0, 1],
    size: side,
    focus: {center: [0, 0, SIDE], radius: side * 0.75},
    command: "tumble run crowd.xml -o crowd.tumble",
    bodies: bodies.map(({name}, i) => ({
      name,
      node: 1 + 2 * i,
      fixed: i === 0,
      scripted: false,
      mass: i === 0 ? null : 1,
      center: [0, 0, 0],
      principal: i === 0 ? null : {moments: [moment, moment, moment], quaternion: up},
    })),
    joints: [],
    springs: [],
    log: {rows: 0, columns: []},
    contacts: false,
    reactions: false,
    warnings: [],
    summary: null,
    promises: [],
    inputs: null,
    settings: [],
  };
  return new Map([
    ["0/run.json", Buffer.from(JSON.stringify(manifest))],
    ["0/scene.glb", writeGlb(bodies)],
    ["0/frames/0", Buffer.from(new Float64Array(frames).buffer)],
  ]);
}
