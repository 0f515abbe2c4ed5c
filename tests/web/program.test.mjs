// `tumble view` and `tumble report` in headless Chromium: what the page shows equals what the run wrote.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {after, before, test} from "node:test";
import {fileURLToPath, pathToFileURL} from "node:url";

import {launch, open} from "./support/browser.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../.."),
  program = process.env.TUMBLE_PROGRAM ?? join(root, "build/release/bin/tumble"),
  env = {...process.env, TUMBLE_WEB: join(root, "web/dist")};

let browser, folder;
const at = (name) => join(folder, name);
const tumble = (...args) =>
  execFileSync(program, args, {cwd: folder, env, stdio: ["ignore", "pipe", "pipe"]});

// Each value of a CSV by column and row.
function table(name) {
  const [head, ...lines] = readFileSync(at(name), "utf8").trim().split("\n"),
    columns = head.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    const value = (cell) => (Number.isNaN(+cell) ? cell : +cell);
    return Object.fromEntries(columns.map((column, i) => [column, value(cells[i])]));
  });
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "tumble-program-"));
  writeFileSync(
    at("ramp.xml"),
    `<scene name="ramp"><simulation duration="2" fps="60" method="fast"/>
      <material name="wood" density="700" friction="0.3" restitution="0.2"/>
      <body name="ramp" fixed="true" rotate="0 0 1 20deg"><box size="4 0.2 2" material="wood"/></body>
      <body name="crate" position="0.2 0.5 0" rotate="0 0 1 20deg">
        <box size="0.3 0.3 0.3" material="wood"/></body>
      <body name="ball" position="-0.6 0.8 0.3"><sphere radius="0.15" material="wood"/></body>
      <body name="arm" position="0 1.6 0"><box size="0.6 0.1 0.1" material="wood"/></body>
      <joint name="pivot" type="hinge" b="arm" at="-0.3 1.6 0" axis="0 0 1" limits="-120deg 20deg"/></scene>`,
  );
  const files = ["log", "contacts"].flatMap((file) => [`--${file}`, `a-${file}.csv`]);
  for (const [name, more] of [
    ["a", [...files, "--reactions", "a-reactions.csv", "-o", "a.csv"]],
    ["b", ["--set", "wood.friction=0.1", "-o", "b.csv"]],
  ])
    tumble("run", "ramp.xml", "-o", `${name}.tumble`, "--quiet", ...more);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, {recursive: true});
});

// Runs `check` with the page of `tumble view ARGUMENTS`.
async function viewing(args, check) {
  const server = spawn(program, ["view", ...args, "--no-open"], {cwd: folder, env});
  try {
    const address = await new Promise((resolve, reject) => {
      let said = "";
      server.stdout.on("data", (bytes) => {
        said += bytes;
        const found = said.match(/http:\S+/);
        if (found) resolve(found[0]);
      });
      server.on("exit", (code) => reject(new Error(`tumble view ended with ${code}`)));
    });
    const opened = await open(browser, address);
    await check(opened.page);
    assert.deepEqual(opened.faults, []);
    await opened.close();
  } finally {
    server.removeAllListeners("exit");
    server.kill("SIGINT");
  }
}

const pose = (page, name, which = 0) => page.evaluate(([n, w]) => window.tumble.poseOf(n, w), [name, which]);
const seek = (page, t) => page.evaluate((time) => window.tumble.seek(time), t);

function assertPose(shown, row, name, tolerance) {
  for (const [k, x] of ["x", "y", "z"].entries())
    assert.ok(Math.abs(shown.position[k] - row[`${name}.${x}`]) <= tolerance, `${name}.${x} at ${row.t}`);
  for (const [k, q] of ["qw", "qx", "qy", "qz"].entries())
    assert.ok(Math.abs(shown.quaternion[k] - row[`${name}.${q}`]) <= tolerance, `${name}.${q} at ${row.t}`);
}

test("every body stands where the recording has it", () =>
  viewing(["a.tumble"], async (page) => {
    const rows = table("a.csv");
    for (const k of [0, 1, 37, 64, 90, 120]) {
      await seek(page, k / 60);
      for (const name of ["crate", "ball", "arm"]) assertPose(await pose(page, name), rows[k], name, 1e-12);
    }
  }));

test("contacts have the numbers of the contacts file", () =>
  viewing(["a.tumble"], async (page) => {
    await page.evaluate(() => window.tumble.overlay("contacts", true));
    const rows = table("a-contacts.csv");
    let compared = 0;
    for (const k of [40, 60, 100]) {
      await seek(page, k / 60);
      const shown = await page.evaluate(() => window.tumble.contacts()),
        written = rows.filter((row) => Math.abs(row.t - k / 60) < 1e-9);
      assert.equal(shown.length, written.length);
      for (const [i, contact] of shown.entries()) {
        assert.deepEqual([contact.a, contact.b], [written[i].a, written[i].b]);
        assert.equal(contact.gap, written[i].gap);
        assert.equal(contact.jn, written[i].jn);
        ++compared;
      }
    }
    assert.ok(compared > 5, `${compared} contacts`);
  }));

test("a plotted column equals the log", () =>
  viewing(["a.tumble"], async (page) => {
    const rows = table("a-log.csv");
    await page.evaluate(() => window.tumble.plot("energy"));
    const {t, y, unit} = await page.evaluate(() => window.tumble.plotted("energy"));
    assert.equal(unit, "J");
    assert.deepEqual(t, rows.map((row) => row.t));
    assert.deepEqual(y, rows.map((row) => row.energy));
  }));

test("a second recording is shown as a ghost", () =>
  viewing(["a.tumble", "--compare", "b.tumble"], async (page) => {
    const first = table("a.csv"),
      second = table("b.csv");
    await seek(page, 1.5);
    assertPose(await pose(page, "crate"), first[90], "crate", 1e-12);
    assertPose(await pose(page, "crate", 1), second[90], "crate", 1e-12);
    assert.ok(Math.abs(first[90]["crate.x"] - second[90]["crate.x"]) > 1e-3, "the runs differ");
  }));

test("a scene is run first", () =>
  viewing(["ramp.xml"], async (page) => {
    await seek(page, 1);
    assertPose(await pose(page, "crate"), table("a.csv")[60], "crate", 1e-12);
  }));

test("a report opens from file:// and plays", async () => {
  tumble("report", "a.tumble", "-o", "page.html");
  const {page, faults, close} = await open(browser, pathToFileURL(at("page.html")).href);
  const rows = table("a.csv");
  await seek(page, 0.75);
  assertPose(await pose(page, "crate"), rows[45], "crate", 1e-6); // single precision
  await page.evaluate(() => window.tumble.play());
  await page.waitForFunction(() => window.tumble.time() > 0.9);
  assert.match(await page.content(), /ramp/);
  assert.deepEqual(faults, []);
  await close();
});
