// Decoding, interpolation, limits, axes, without a browser.
import assert from "node:assert/strict";
import {test} from "node:test";

import {delta, shuffle} from "./support/embed.mjs";
import {buildParts, contactAt, limbVector, stateAt} from "./support/fixture.mjs";
import {load} from "./support/modules.mjs";

const m = await load(
  "math/vector",
  "data/frames",
  "data/contacts",
  "data/packing",
  "data/manifest",
  "data/blocks",
  "data/recording",
  "limits/limit_set",
  "limits/surface",
  "limits/xml",
  "plots/axes",
  "plots/table",
  "timeline/clock",
  "ui/format",
);

const near = (a, b, tolerance, what = "") => {
  assert.equal(a.length, b.length, what);
  a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) <= tolerance, `${what} [${i}]: ${x} and ${b[i]}`));
};
const source = (parts) => ({
  save: null,
  read: async (name) => {
    const bytes = parts.get(name);
    if (!bytes) throw new Error(`no part ${name}`);
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  },
});
const NEEDS = {contacts: true, reactions: true};

test("a frame is decoded to the last bit, in any block", async () => {
  const recording = await m.Recording.open(source(buildParts()), 0);
  for (const k of [0, 1, 31, 32, 63, 64, 119, 120]) {
    const {numbers, exact, frame} = await recording.moment(k / 60, NEEDS);
    assert.ok(exact);
    assert.equal(frame, k);
    const expected = stateAt(k / 60);
    for (let body = 1; body <= 3; ++body)
      assert.deepEqual([...numbers.subarray(13 * body, 13 * body + 13)], expected[body - 1]);
  }
});

test("between frames positions are in proportion and rotations turn evenly", async () => {
  const recording = await m.Recording.open(source(buildParts()), 0),
    k = 31,
    f = 0.25;
  const {numbers} = await recording.moment((k + f) / 60, NEEDS);
  const [a, b] = [stateAt(k / 60), stateAt((k + 1) / 60)];
  for (let body = 1; body <= 3; ++body) {
    const at = [...numbers.subarray(13 * body, 13 * body + 3)];
    near(
      at,
      a[body - 1].slice(0, 3).map((x, i) => x + f * (b[body - 1][i] - x)),
      1e-12,
    );
    const q = [...numbers.subarray(13 * body + 3, 13 * body + 7)];
    const whole = m.rotationVector(m.multiply(m.conjugate(a[body - 1].slice(3, 7)), b[body - 1].slice(3, 7)));
    const part = m.rotationVector(m.multiply(m.conjugate(a[body - 1].slice(3, 7)), q));
    near(
      part,
      whole.map((x) => f * x),
      1e-12,
    );
  }
});

test("slerp takes the shorter way and returns its ends", () => {
  const a = m.fromRotationVector([0.3, -0.2, 0.9]),
    b = m.fromRotationVector([-0.4, 0.1, 0.5]).map((x) => -x);
  near(m.slerp(a, b, 0), a, 1e-15);
  near(
    m.slerp(a, b, 1).map((x) => -x),
    b,
    1e-15,
  );
  const half = m.slerp(a, b, 0.5);
  const one = m.rotationVector(m.multiply(m.conjugate(a), half)),
    two = m.rotationVector(m.multiply(m.conjugate(half), b));
  near(one, two, 1e-14);
  assert.ok(m.norm(one) < Math.PI / 2);
});

test("seven single-precision numbers a body: velocities are differences of poses", async () => {
  const recording = await m.Recording.open(source(buildParts({precision: "f32", numbers: 7})), 0);
  const {numbers} = await recording.moment(0.5, NEEDS),
    expected = stateAt(0.5);
  near([...numbers.subarray(13, 16)], expected[0].slice(0, 3), 1e-6);
  // Truncation of central differences: h^2/6 times the third derivative, here at most 1.3e-3.
  near([...numbers.subarray(20, 26)], expected[0].slice(7), 2e-3);
});

test("contacts of a frame are those of its rows", async () => {
  const recording = await m.Recording.open(source(buildParts()), 0);
  let count = 0;
  for (let k = 0; k < 121; ++k) {
    const {contacts} = await recording.moment(k / 60, NEEDS),
      expected = contactAt(k);
    assert.equal(contacts.length, expected ? 1 : 0, `frame ${k}`);
    if (!expected) continue;
    ++count;
    assert.equal(contacts[0].jn, expected.jn);
    assert.equal(contacts[0].force, expected.jn * 60);
    assert.equal(contacts[0].state, "impact");
    assert.deepEqual(contacts[0].impulse, expected.impulse);
  }
  assert.equal(count, 2);
});

test("a damaged part is named", async () => {
  const parts = buildParts();
  parts.set("0/frames/1", parts.get("0/frames/1").subarray(0, 100));
  const recording = await m.Recording.open(source(parts), 0);
  await assert.rejects(recording.moment(0.6, NEEDS), /frames\/1 has 100 bytes, expected/);
  parts.set("0/run.json", Buffer.from("{"));
  await assert.rejects(m.Recording.open(source(parts), 0), /run.json is not JSON/);
  parts.set("0/run.json", Buffer.from('{"format":7}'));
  await assert.rejects(m.Recording.open(source(parts), 0), /format 7/);
});

test("the cache reads a block once and drops the least recently used", async () => {
  const reads = [];
  const cache = new m.BlockCache(
    9,
    async (b) => {
      reads.push(b);
      return {bytes: 40};
    },
    120,
  );
  await Promise.all([cache.get(0), cache.get(0)]);
  await cache.get(1);
  await cache.get(2);
  await cache.get(0);
  await cache.get(3);
  assert.deepEqual(reads, [0, 1, 2, 3]);
  assert.equal(cache.peek(1), null);
  assert.ok(cache.peek(0) && cache.peek(3));
});

test("encodings are undone", async () => {
  const bytes = Buffer.from(Array.from({length: 103}, (_, i) => (i * i * 7 + 3) % 256));
  const packed = shuffle(delta(bytes, 5), 4),
    fresh = () => new Uint8Array(packed);
  const undone = await m.unpack(fresh(), "delta:5 shuffle:4", "x");
  assert.deepEqual(Buffer.from(undone), bytes);
  await assert.rejects(m.unpack(fresh(), "rot13", "0/log"), /0\/log has the unknown encoding rot13/);
  await assert.rejects(m.unpack(fresh(), "deflate", "0/log"), /0\/log is damaged/);
});

test("rotation vectors and rotations are inverse to each other", () => {
  for (const r of [
    [0, 0, 0],
    [1e-12, 0, 0],
    [0.1, -2, 0.4],
    [0, 3.1415, 0],
    [1.2, 1.3, -2.2],
  ])
    near(m.rotationVector(m.fromRotationVector(r)), r, 1e-12);
});

test("twist and swing of a rotation are those that made it", () => {
  const swing = m.fromRotationVector([0, 0.4, -0.3]),
    twist = m.fromRotationVector([0.7, 0, 0]);
  const d = m.multiply(swing, twist);
  near(m.swingOf(d), [0.4, -0.3], 1e-14);
  assert.ok(Math.abs(m.twistOf(d) - 0.7) < 1e-14);
});

test("room is zero at each kind of limit, and its sign says the side", () => {
  const at = (limits, r) => m.room(limits, m.fromRotationVector(r));
  const cases = [
    [{twist: [-0.5, 0.8]}, [0.8, 0, 0]],
    [{twist: [-0.5, 0.8]}, [-0.5, 0, 0]],
    [{swing: [0.6]}, [0, 0.36, 0.48]],
    [{swing: [0.6, 0.3]}, [0, 0.6, 0]],
    [{swing: [0.6, 0.3]}, [0, 0, -0.3]],
    [{swing: [-0.2, 0.6, -0.4, 0.3]}, [0, -0.2, 0]],
    [{swing: [-0.2, 0.6, -0.4, 0.3]}, [0, 0, 0.3]],
    [{x: [-1, 0.2]}, [0.2, 0.9, 0.4]],
    [{y: [-1, 0.2]}, [0.5, -1, 0.4]],
    [{z: [-1, 0.2]}, [0.5, 0.1, 0.2]],
    [{angle: [-0.4, 2.9]}, [2.9, 0, 0]],
    [{angle: [3, 4]}, [3, 0, 0]],
  ];
  for (const [limits, r] of cases) {
    assert.ok(Math.abs(at(limits, r)) < 1e-12, JSON.stringify([limits, r, at(limits, r)]));
    const middle = limits.angle ? [(limits.angle[0] + limits.angle[1]) / 2, 0, 0] : [0, 0, 0];
    const inward = r.map((x, i) => x + 0.01 * (middle[i] - x)),
      outward = r.map((x, i) => x - 0.01 * (middle[i] - x));
    assert.ok(at(limits, inward) > 0 && at(limits, outward) < 0, JSON.stringify([limits, r]));
  }
  assert.equal(at({}, [1, 2, 0]), Infinity);
});

test("the rim of a swing limit lies on the limit", () => {
  for (const swing of [[0.6], [1, 0.7], [-0.2, 0.6, -0.4, 0.3]])
    for (const u of m.boundaryOfSwing(swing, 24)) {
      const angle = Math.acos(u[0]),
        axis = [0, -u[2], u[1]],
        size = Math.hypot(...axis);
      const d = m.fromRotationVector(axis.map((x) => (x / size) * angle));
      assert.ok(Math.abs(m.room({swing}, d)) < 1e-12);
    }
});

test("the comfort zone of a swing is the same part of every bound", () => {
  assert.deepEqual(m.comfortLimits({swing: [1, 0.5]}, {swing: [0.25]}).swing, [0.5, 0.25]);
  assert.deepEqual(m.comfortLimits({twist: [-1, 1]}, {twist: [-0.5, 0.2]}).twist, [-0.5, 0.2]);
  assert.equal(m.comfortLimits({twist: [-1, 1]}, {}), null);
});

test("the solid of a ball is a ball: closed, outward, of its volume", () => {
  const f = (r) => 1 - m.norm(r),
    box = m.findBox(f, Math.PI),
    {positions, indices, normals} = m.extractSurface(f, box, 32);
  const at = (i) => [...positions.subarray(3 * i, 3 * i + 3)];
  let volume = 0;
  const edges = new Map();
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = [indices[i], indices[i + 1], indices[i + 2]];
    volume += m.dot(at(a), m.cross(at(b), at(c))) / 6;
    for (const [u, v] of [
      [a, b],
      [b, c],
      [c, a],
    ]) {
      edges.set(`${u},${v}`, (edges.get(`${u},${v}`) ?? 0) + 1);
      edges.set(`${v},${u}`, (edges.get(`${v},${u}`) ?? 0) - 1);
    }
  }
  assert.ok(
    [...edges.values()].every((n) => n === 0),
    "every edge has two triangles",
  );
  // Surface nets are off by less than the sagitta of a cell, step^2/8, over the area.
  const step = (box.hi[0] - box.lo[0]) / 32;
  assert.ok(Math.abs(volume - (4 / 3) * Math.PI) < (4 * Math.PI * step * step) / 2, `volume ${volume}`);
  assert.ok(m.dot(at(0), [...normals.subarray(0, 3)]) > 0.99);
});

test("the limb's path lies in the limits of the fixture", () => {
  for (let k = 0; k < 121; ++k)
    assert.ok(m.room({twist: [-0.5, 0.5], swing: [1, 0.7]}, m.fromRotationVector(limbVector(k / 60))) > 0);
});

test("edited limits replace and add attributes, nothing else", () => {
  const attributes = m.limitAttributes({twist: [-0.5, Math.PI / 4], swing: [Math.PI / 3]}, {});
  const xml = '<joint name="a" twist="-1 1" type="ball"><drive target="0 0 0"/></joint>';
  assert.equal(
    m.withAttributes(xml, attributes),
    `<joint name="a" twist="-28.64788976deg 45deg" type="ball" swing="60deg"><drive target="0 0 0"/></joint>`,
  );
});

test("ticks are round, and thinning keeps extremes", () => {
  assert.deepEqual(m.linearTicks({lo: 0.1, hi: 4.9}, 5), [1, 2, 3, 4]);
  assert.deepEqual(m.logTicks({lo: 1e-7, hi: 1e-3}, 5), [1e-7, 1e-6, 1e-5, 1e-4, 1e-3]);
  const t = Float64Array.from({length: 100_000}, (_, i) => i / 1000),
    y = t.map(() => 0);
  y[54_321] = 7;
  const kept = m.thin(t, y, {lo: 0, hi: 100}, 300);
  assert.ok(kept.length < 1300 && kept.includes(54_321));
});

test("CSV has every digit and shares times", () => {
  const t = new Float64Array([0, 0.1]),
    series = (name) => ({name, unit: "J", t, y: new Float64Array([1 / 3, 2])});
  assert.equal(
    m.toCsv([series("a"), series("b,c")]),
    't (s),a (J),"b,c (J)"\n0,0.3333333333333333,0.3333333333333333\n0.1,2,2\n',
  );
});

test("steps go to exact frames, and the loop comes back to the start", () => {
  const clock = new m.Clock(0, 2, 60);
  clock.time.value = 0.51;
  assert.equal(clock.step(1), 31 / 60);
  assert.equal(clock.step(-1), 30 / 60);
  clock.time.value = 31 / 60;
  assert.equal(clock.step(1), 32 / 60);
  assert.equal(clock.step(-1), 30 / 60);
  clock.time.value = 1.9;
  assert.equal(clock.after(1), 2);
  clock.loop.value = true;
  assert.ok(Math.abs(clock.after(0.3) - 0.2) < 1e-12);
});
