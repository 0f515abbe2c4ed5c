// Parts of a recording whose motion is known in closed form, z up:
//   pendulum  swings about the y axis on a hinge with the world; its centre of mass is below its own origin
//   limb      hangs at the pendulum's lower end on a ball joint and circles in it
//   ball      bounces on the floor
import {writeGlb} from "./glb.mjs";

const FPS = 60,
  FRAMES = 121,
  BLOCK = 32,
  GRAVITY = 9.81;
const PIVOT = [0, 0, 2],
  LENGTH = 1,
  LIMB = 0.6,
  BALL_AT = [0.9, 0.2, 0],
  RADIUS = 0.15,
  MASS = [2, 1, 0.5];

const turn = (axis, angle) => {
  const q = [Math.cos(angle / 2), 0, 0, 0];
  q[1 + axis] = Math.sin(angle / 2);
  return q;
};
export const multiply = (a, b) => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];
export const rotate = ([w, x, y, z], v) => {
  const p = multiply(multiply([w, x, y, z], [0, ...v]), [w, -x, -y, -z]);
  return [p[1], p[2], p[3]];
};
const add = (a, b) => a.map((x, i) => x + b[i]);

/** Swing of the limb: its rotation vector in joint axes (x down along the limb) at time t. */
export const limbVector = (t) => [0.3 * Math.sin(2 * t), 0.5 * Math.cos(5 * t), 0.5 * Math.sin(5 * t)];
const fromVector = (r) => {
  const angle = Math.hypot(...r),
    s = angle < 1e-12 ? 0.5 : Math.sin(angle / 2) / angle;
  return [Math.cos(angle / 2), ...r.map((x) => x * s)];
};
// Joint axes: x along the body's -z. Columns of the frame: -z, y, x.
const DOWN = turn(1, Math.PI / 2);
export const pendulumAngle = (t, off = 0) => (0.7 + off) * Math.cos(3 * t);

function poses(t, off) {
  const q1 = turn(1, pendulumAngle(t, off));
  const end = add(PIVOT, rotate(q1, [0, 0, -LENGTH]));
  const d = fromVector(limbVector(t)),
    down = DOWN;
  const q2 = multiply(multiply(multiply(q1, down), d), [down[0], -down[1], -down[2], -down[3]]);
  const bounce = 0.8,
    s = t % bounce,
    height = RADIUS + 0.5 * GRAVITY * s * (bounce - s);
  return [
    {x: add(PIVOT, rotate(q1, [0, 0, -LENGTH / 2])), q: q1},
    {x: add(end, rotate(q2, [0, 0, -LIMB / 2])), q: q2},
    {x: [BALL_AT[0], BALL_AT[1] + off, height], q: turn(0, 4 * t)},
  ];
}

/** x y z qw … wz of the three moving bodies at time t; velocities by differences of the closed form. */
export function stateAt(t, off = 0) {
  const H = 1e-5,
    now = poses(t, off),
    a = poses(Math.max(0, t - H), off),
    b = poses(t + H, off);
  const dt = t + H - Math.max(0, t - H);
  return now.map(({x, q}, i) => {
    const v = x.map((_, n) => (b[i].x[n] - a[i].x[n]) / dt);
    const [w, ...u] = a[i].q,
      change = multiply(b[i].q, [w, ...u.map((n) => -n)]);
    return [...x, ...q, ...v, ...change.slice(1).map((n) => (2 * n) / dt)];
  });
}

/** The contact of the ball in frame k, or null. */
export function contactAt(k) {
  const t = k / FPS,
    bounce = 0.8,
    hits = Math.floor(t / bounce) > Math.floor((t - 1 / FPS) / bounce + 1e-12);
  if (k === 0 || !hits) return null;
  return {
    k,
    a: 0,
    b: 3,
    point: [BALL_AT[0], BALL_AT[1], 0],
    normal: [0, 0, -1],
    gap: 2.5e-6,
    jn: 1.962,
    impulse: [0.1, 0, -1.962],
    slip: 0.25,
    state: 2,
  };
}

const doubles = (list) => Buffer.from(new Float64Array(list).buffer);
const blocks = Math.ceil(FRAMES / BLOCK);
export const LOG_ROWS = 241;
export const energyAt = (t) => 20 - 0.5 * t + 0.1 * Math.sin(7 * t);

/** All parts of recording `index` as a map of name to bytes. */
export function buildParts({
  index = 0,
  off = 0,
  precision = "f64",
  numbers = 13,
  broken = false,
  compare = false,
} = {}) {
  const parts = new Map(),
    put = (name, bytes) => parts.set(`${index}/${name}`, bytes);
  const start = poses(0, off);
  const box = (m, [a, b, c]) => [
    (m / 12) * (b * b + c * c),
    (m / 12) * (a * a + c * c),
    (m / 12) * (a * a + b * b),
  ];
  put(
    "scene.glb",
    writeGlb([
      {
        name: "floor",
        position: [0, 0, -0.05],
        quaternion: [1, 0, 0, 0],
        box: [3, 3, 0.1],
        color: [0.45, 0.47, 0.5],
      },
      {
        name: "pendulum",
        position: PIVOT,
        quaternion: start[0].q,
        box: [0.1, 0.16, LENGTH],
        at: [0, 0, -LENGTH / 2],
        color: [0.1, 0.25, 0.5],
      },
      {
        name: "limb",
        position: start[1].x,
        quaternion: start[1].q,
        box: [0.08, 0.1, LIMB],
        color: [0.5, 0.2, 0.08],
      },
      {name: "ball", position: start[2].x, quaternion: start[2].q, sphere: RADIUS, color: [0.5, 0.35, 0.05]},
    ]),
  );
  for (let b = 0; b < blocks; ++b) {
    const frames = [],
      contacts = [],
      reactions = [];
    for (let k = b * BLOCK; k < Math.min(FRAMES, (b + 1) * BLOCK); ++k) {
      frames.push(k / FPS, ...stateAt(k / FPS, off).flatMap((state) => state.slice(0, numbers)));
      const c = contactAt(k);
      if (c)
        contacts.push(c.k, c.a, c.b, ...c.point, ...c.normal, c.gap, c.jn, ...c.impulse, c.slip, c.state);
      reactions.push(k, 0, 30, 0, 0, 0, 0.5, 0, 0, 10, 0, 0, 0, -0.25);
    }
    put(`frames/${b}`, precision === "f64" ? doubles(frames) : Buffer.from(new Float32Array(frames).buffer));
    put(`contacts/${b}`, doubles(contacts));
    put(`reactions/${b}`, doubles(reactions));
  }
  const times = Array.from({length: LOG_ROWS}, (_, i) => i / 120);
  put(
    "log",
    doubles([
      ...times,
      ...times.map(energyAt),
      ...times.map((t) => 10 ** (-6 - t)),
      ...times.map((t) => Math.floor(t / 0.8 + 1e-9)),
    ]),
  );
  const promise = (name, value, bound, held, worst) => ({
    name,
    value,
    bound,
    unit: "m",
    held,
    worst,
    says: `${name} stays below its bound.`,
  });
  const manifest = {
    format: 1,
    scene: "test-swing",
    version: "0.0",
    method: "fast",
    integrator: "leapfrog",
    accuracy: 0.001,
    fps: FPS,
    first_frame: 0,
    frames: FRAMES,
    frames_per_block: BLOCK,
    precision,
    numbers_per_body: numbers,
    up: [0, 0, 1],
    size: 3,
    focus: {center: [0.2, 0, 1], radius: 1.3},
    command: "tumble run test-swing.xml -o test.tumble",
    bodies: [
      {name: "floor", node: 1, fixed: true, scripted: false, mass: null, center: [0, 0, 0], principal: null},
      {
        name: "pendulum",
        node: 3,
        fixed: false,
        scripted: false,
        mass: MASS[0],
        center: [0, 0, -LENGTH / 2],
        principal: {moments: box(MASS[0], [0.1, 0.16, LENGTH]), quaternion: [1, 0, 0, 0]},
      },
      {
        name: "limb",
        node: 5,
        fixed: false,
        scripted: false,
        mass: MASS[1],
        center: [0, 0, 0],
        principal: {moments: box(MASS[1], [0.08, 0.1, LIMB]), quaternion: [1, 0, 0, 0]},
      },
      {
        name: "ball",
        node: 7,
        fixed: false,
        scripted: false,
        mass: MASS[2],
        center: [0, 0, 0],
        principal: {moments: Array(3).fill(0.4 * MASS[2] * RADIUS ** 2), quaternion: [1, 0, 0, 0]},
      },
    ],
    joints: [
      {
        name: "pivot",
        type: "hinge",
        a: -1,
        b: 1,
        point_a: PIVOT,
        point_b: [0, 0, 0],
        axis_a: [0, 1, 0],
        axis_b: [0, 1, 0],
        frame_a: turn(2, Math.PI / 2),
        frame_b: turn(2, Math.PI / 2),
        limits: {angle: [-1, 1]},
        comfort: {},
        xml: '<joint name="pivot" type="hinge" b="pendulum" limits="-1 1"/>',
      },
      {
        name: "hip",
        type: "ball",
        a: 1,
        b: 2,
        point_a: [0, 0, -LENGTH],
        point_b: [0, 0, LIMB / 2],
        axis_a: [0, 0, -1],
        axis_b: [0, 0, -1],
        frame_a: DOWN,
        frame_b: DOWN,
        limits: {twist: [-0.5, 0.5], swing: [1, 0.7]},
        comfort: {swing: [0.5]},
        xml: '<joint name="hip" type="ball" a="pendulum" b="limb" swing="1 0.7" twist="-0.5 0.5"/>',
      },
    ],
    springs: [{name: "coil", a: -1, b: 2, point_a: [-1, 0, 2], point_b: [0, 0, 0], rest: 1}],
    log: {
      rows: LOG_ROWS,
      columns: [
        {name: "t", unit: "s"},
        {name: "energy", unit: "J"},
        {name: "residual", unit: ""},
        {name: "impacts", unit: ""},
      ],
    },
    contacts: true,
    reactions: true,
    warnings: ["a warning for the test"],
    summary: {steps: 240},
    promises: [
      promise("penetration", 0, 1e-6, true, null),
      promise("joint gap", 3e-4, 1e-4, !broken, {t: 1.25, body: "limb"}),
    ],
    inputs: null,
    settings: [],
    compare,
  };
  put("run.json", Buffer.from(JSON.stringify(manifest)));
  return parts;
}

export const fixture = {FPS, FRAMES, BLOCK, names: ["pendulum", "limb", "ball"]};
