// slow: starts a browser and draws in software
// The page in headless Chromium, with a recording whose motion is known in closed form.
import assert from "node:assert/strict";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {pathToFileURL} from "node:url";

import {launch, open} from "./support/browser.mjs";
import {buildCrowd, centerAt} from "./support/crowd.mjs";
import {embed} from "./support/embed.mjs";
import {
  buildParts,
  contactAt,
  energyAt,
  limbVector,
  LOG_ROWS,
  pendulumAngle,
  stateAt,
} from "./support/fixture.mjs";
import {readPng} from "./support/png.mjs";
import {serve} from "./support/server.mjs";

let browser, folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "tumble-page-"));
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, {recursive: true});
});

/** Runs `check` with a page of the parts. Errors of the console and requests elsewhere fail the test. */
async function withPage(parts, check, {saved = null, expectFaults = false, ...options} = {}) {
  const server = await serve(parts, saved),
    opened = await open(browser, server.address, options);
  try {
    await check(opened.page, opened.faults, server);
    if (!expectFaults) assert.deepEqual(opened.faults, []);
  } finally {
    await opened.close();
    server.close();
  }
}

const near = (a, b, tolerance, what = "") =>
  a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) <= tolerance, `${what} [${i}]: ${x} and ${b[i]}`));

async function assertPose(page, name, t, tolerance, off = 0, recording = 0) {
  const {position, quaternion} = await page.evaluate(
    ([n, r]) => window.tumble.poseOf(n, r),
    [name, recording],
  );
  const expected = stateAt(t, off)[["pendulum", "limb", "ball"].indexOf(name)];
  near(position, expected.slice(0, 3), tolerance, `${name} at ${t}`);
  near(quaternion, expected.slice(3, 7), tolerance, `${name} at ${t}`);
}

const picture = (page) => page.evaluate(() => window.tumble.picture());

/** Waits until `condition` holds. */
async function until(condition, what) {
  const LONGEST = 5000,
    STEP = 30; // ms
  for (let waited = 0; waited < LONGEST; waited += STEP) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, STEP));
  }
  assert.fail(`not in ${LONGEST} ms: ${what}`);
}

/** Standard deviation of the grey values of a part of the picture. */
async function variation(page, selector = ".view") {
  const {width, height, rgba} = readPng(await page.locator(selector).screenshot());
  let sum = 0,
    square = 0;
  for (let i = 0; i < rgba.length; i += 4) {
    const grey = (rgba[i] + rgba[i + 1] + rgba[i + 2]) / 3;
    sum += grey;
    square += grey * grey;
  }
  const n = width * height;
  return Math.sqrt(square / n - (sum / n) ** 2);
}

test("it loads, scrubs and shows the poses of the recording to 1e-12", () =>
  withPage(buildParts(), async (page) => {
    for (const k of [0, 7, 31, 32, 90, 120]) {
      await page.evaluate((t) => window.tumble.seek(t), k / 60);
      assert.equal(await page.evaluate(() => window.tumble.time()), k / 60);
      for (const name of ["pendulum", "limb", "ball"]) await assertPose(page, name, k / 60, 1e-12);
    }
    assert.ok((await variation(page)) > 8, "the picture is not blank");
    const slider = page.locator(".scrub"),
      box = await slider.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForFunction(() => Math.abs(window.tumble.time() - 1) < 0.03);
  }));

test("it plays at the chosen speed, stops at the end, and loops", () =>
  withPage(buildParts(), async (page) => {
    await page.click("[data-action=play]");
    await page.waitForFunction(() => window.tumble.time() > 0.3);
    await page.click("[data-action=play]");
    const stopped = await page.evaluate(() => window.tumble.time());
    await page.waitForTimeout(150);
    assert.equal(await page.evaluate(() => window.tumble.time()), stopped);
    await page.selectOption(".speed", "8");
    await page.evaluate(() => window.tumble.play());
    await page.waitForFunction(() => window.tumble.time() === 2);
    await page.keyboard.press("l");
    await page.evaluate(() => window.tumble.play());
    await page.waitForFunction(() => window.tumble.time() > 1);
    await page.waitForFunction(() => window.tumble.time() < 0.9);
  }));

test("keys step by frames, can be switched off, and are listed", () =>
  withPage(buildParts(), async (page) => {
    const time = () => page.evaluate(() => window.tumble.time());
    await page.evaluate(() => window.tumble.seek(0.5));
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => window.tumble.time() === 31 / 60);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => window.tumble.time() === 29 / 60);
    await page.keyboard.press("Shift+?");
    assert.ok(await page.locator("dialog.help").isVisible());
    await page.locator("#keys-on").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(100);
    assert.equal(await time(), 29 / 60);
    await page.keyboard.press("Shift+?");
    await page.locator("#keys-on").check();
    await page.keyboard.press("Escape");
    await page.keyboard.press("i");
    await page.waitForFunction(() => window.tumble.time() === 48 / 60);
    await page.keyboard.press("End");
    await page.waitForFunction(() => window.tumble.time() === 2);
  }));

test("every overlay changes the picture, and contacts have the numbers of the recording", () =>
  withPage(buildParts(), async (page) => {
    const hit = [...Array(121).keys()].find((k) => contactAt(k)),
      expected = contactAt(hit);
    await page.evaluate((t) => window.tumble.seek(t), hit / 60);
    const without = await picture(page);
    assert.equal(await page.evaluate(() => window.tumble.contacts()), null);
    const names = await page.evaluate(() => window.tumble.overlays());
    assert.ok(names.length >= 9, names.join());
    for (const name of names) {
      await page.evaluate((n) => window.tumble.overlay(n, true), name);
      if (name === "names") assert.equal(await page.locator(".label.name:visible").count(), 3);
      else await until(async () => (await picture(page)) !== without, `${name} is drawn`);
      if (name === "contacts") {
        const [contact] = await page.evaluate(() => window.tumble.contacts());
        assert.deepEqual([contact.a, contact.b, contact.state], ["floor", "ball", "impact"]);
        assert.equal(contact.jn, expected.jn);
        assert.equal(contact.gap, expected.gap);
        assert.deepEqual(contact.impulse, expected.impulse);
        assert.match(await page.locator(".label.impact").innerText(), /118 N · 2\.50 µm/);
        await page.click("[data-tab=contacts]");
        const row = page.locator(".contact-table tbody tr:visible");
        assert.equal(Number(await row.getAttribute("data-force")), expected.jn * 60);
      }
      await page.evaluate((n) => window.tumble.overlay(n, false), name);
    }
    assert.equal(await picture(page), without, "all overlays are gone again");
    assert.equal(await page.locator(".label:visible").count(), 0);
  }));

test("a clicked number is plotted, and its values are those of the log", () =>
  withPage(buildParts(), async (page) => {
    await page.click('[data-series="energy"]');
    await page.waitForFunction(() => window.tumble.plotted("energy") !== null);
    const {t, y, unit} = await page.evaluate(() => window.tumble.plotted("energy"));
    assert.equal(unit, "J");
    assert.deepEqual(
      t,
      Array.from({length: LOG_ROWS}, (_, i) => i / 120),
    );
    assert.deepEqual(y, t.map(energyAt));
    await page.evaluate(() => window.tumble.seek(0.5));
    assert.match(await page.locator('[data-curve="energy"] .value').innerText(), /^19\.71$/);

    // The saved SVG has every point; read them back from the path.
    const svg = await page.evaluate(() => window.tumble.plotsAsSvg());
    const attribute = (name) => Number(new RegExp(`data-${name}="([^"]*)"`).exec(svg)[1]);
    const points = /d="([^"]*)"[^>]*data-name="energy"/
      .exec(svg)[1]
      .slice(1)
      .split("L")
      .map((p) => p.split(" ").map(Number));
    assert.equal(points.length, LOG_ROWS);
    const [top, bottom, lo, hi] = ["top", "bottom", "y-lo", "y-hi"].map(attribute);
    near(
      points.map(([, py]) => lo + ((bottom - py) / (bottom - top)) * (hi - lo)),
      y,
      1e-12 * 20,
    );

    await page.evaluate(() => window.tumble.plot("residual"));
    await page.locator(".diagram", {hasText: "residual"}).getByText("log", {exact: true}).click();
    await page.evaluate(() => window.tumble.plot("limb.speed"));
    const speed = await page.evaluate(() => window.tumble.plotted("limb.speed"));
    near(
      speed.y,
      speed.t.map((time) => Math.hypot(...stateAt(time)[1].slice(7, 10))),
      1e-12,
    );
    await page.evaluate(() => window.tumble.plot("pivot.angle"));
    const angle = await page.evaluate(() => window.tumble.plotted("pivot.angle"));
    near(
      angle.y,
      angle.t.map((time) => pendulumAngle(time)),
      1e-12,
    );
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(".plots >> text=CSV")]);
    assert.match(readFileSync(await download.path(), "utf8"), /^t of energy \(s\),energy \(J\)/);
    await assert.rejects(
      page.evaluate(() => window.tumble.plot("nothing.x")),
      /no quantity nothing\.x/,
    );
  }));

test("a body is found, selected by name and by click, and shows its state", () =>
  withPage(buildParts(), async (page) => {
    await page.fill("input[type=search]", "lim");
    assert.equal(await page.locator(".tree .item").count(), 1);
    await page.click(".tree .item");
    assert.equal(await page.locator(".selection h2").innerText(), "limb");
    await page.fill("input[type=search]", "");
    await page.selectOption(".search select", "speed");
    const speeds = stateAt(0).map((s) => Math.hypot(...s.slice(7, 10)));
    const fastest = ["pendulum", "limb", "ball"][speeds.indexOf(Math.max(...speeds))];
    assert.equal(await page.locator(".tree .item .name").first().innerText(), fastest);
    await page.evaluate(() => window.tumble.select("ball"));
    await page.keyboard.press("Escape"); // out of the search
    await page.keyboard.press("z"); // the ball comes to the middle
    await page.evaluate(() => window.tumble.select(null));
    await page.waitForTimeout(100);
    const box = await page.locator(".view").boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.equal(await page.locator(".selection h2").innerText(), "ball");
    await page.evaluate(() => window.tumble.select("hip"));
    assert.equal(await page.locator(".selection h2").innerText(), "hip");
    await page.click("text=Follow", {timeout: 500}).then(
      () => assert.fail("a joint cannot be followed"),
      () => undefined,
    );
  }));

test("the camera follows a body", () =>
  withPage(buildParts(), async (page) => {
    await page.evaluate(() => {
      window.tumble.select("limb");
    });
    await page.keyboard.press("f");
    await page.evaluate(() => window.tumble.overlay("names", true));
    const place = async () => page.locator(".label.name", {hasText: "limb"}).boundingBox();
    const before = await place();
    await page.evaluate(() => window.tumble.seek(0.5));
    await page.waitForTimeout(50);
    const after = await place();
    assert.ok(Math.hypot(before.x - after.x, before.y - after.y) < 2, JSON.stringify([before, after]));
  }));

test("many equal bodies are drawn, moved, clicked and marked like single ones", () => {
  const side = 5;
  return withPage(buildCrowd(side), async (page) => {
    await page.evaluate(() => window.tumble.seek(0.5));
    const {position} = await page.evaluate(() => window.tumble.poseOf("box7"));
    near(position, centerAt(7, side, 0.5), 1e-12);
    await page.keyboard.press("4"); // from above
    await page.keyboard.press("o");
    const read = async () => readPng(Buffer.from((await picture(page)).split(",")[1], "base64"));
    const box = await page.locator(".view").boundingBox(),
      middle = [box.x + box.width / 2, box.y + box.height / 2];
    const plain = await read();
    const atCenter = ({width, height, rgba}) => {
      const i = 4 * (Math.floor(height / 2) * width + Math.floor(width / 2));
      return [...rgba.subarray(i, i + 3)];
    };
    // The box in the middle is number 12 and red; beside it are a green and a blue one.
    const [red, green, blue] = atCenter(plain);
    assert.ok(red > 1.5 * green && red > 1.5 * blue, `${[red, green, blue]}`);
    const most = (n) => {
      const {rgba} = plain;
      let count = 0;
      for (let i = 0; i < rgba.length; i += 4)
        if ([0, 1, 2].every((m) => m === n || rgba[i + n] > 1.3 * rgba[i + m])) ++count;
      return count;
    };
    // Of 25 boxes 9 are red, 8 green, 8 blue.
    const counts = [0, 1, 2].map(most);
    assert.ok(Math.min(...counts) > 0.8 * Math.max(...counts) && counts[1] > 2000, `pixels ${counts}`);
    await page.mouse.click(...middle);
    assert.equal(await page.locator(".selection h2").innerText(), "box12");
    const [markedRed, , markedBlue] = atCenter(await read());
    assert.ok(markedBlue > markedRed, "the selected one is blue");
    await page.keyboard.press("Escape");
    assert.deepEqual(atCenter(await read()), [red, green, blue]);
  });
});

test("the picture changes with each way to draw it", () =>
  withPage(buildParts(), async (page) => {
    const plain = await picture(page);
    for (const key of ["o", "h", "w", "2"]) {
      await page.keyboard.press(key);
      assert.notEqual(await picture(page), plain, key);
      await page.keyboard.press(key === "2" ? "1" : key);
      assert.equal(await picture(page), plain, `${key} and back`);
    }
  }));

test("a broken promise is red, with time and body, and leads there", () =>
  withPage(buildParts({broken: true}), async (page) => {
    const badge = page.locator(".badge.broken");
    assert.match(await badge.innerText(), /joint gap broken at 1\.250 s, limb/);
    assert.equal(await page.locator(".promise.broken").count(), 1);
    assert.equal(await page.locator(".promise.held").count(), 1);
    await badge.click();
    await page.waitForFunction(() => window.tumble.time() === 1.25);
    assert.equal(await page.locator(".selection h2").innerText(), "limb");
  }));

test("a second recording is a ghost, and the difference is plotted", () => {
  const parts = new Map([...buildParts({compare: true}), ...buildParts({index: 1, off: 0.05})]);
  return withPage(parts, async (page) => {
    await page.evaluate(() => window.tumble.seek(0.4));
    await assertPose(page, "pendulum", 0.4, 1e-12, 0.05, 1);
    await page.evaluate(() => window.tumble.plot("other:energy"));
    assert.equal((await page.evaluate(() => window.tumble.plotted("other:energy"))).y[0], energyAt(0));
    await page.evaluate(() => window.tumble.plot("difference.ball"));
    const {y} = await page.evaluate(() => window.tumble.plotted("difference.ball"));
    assert.equal(y.length, 121);
    near(
      y,
      y.map(() => 0.05),
      1e-12,
    );
    await page.click("[data-tab=compare]");
    await page.locator(".compare-table tbody tr").first().waitFor();
    assert.equal(await page.locator(".compare-table tbody tr").count(), 3);
    assert.match(await page.locator(".view-legend").innerText(), /other run: .*accuracy/);
    const shown = await picture(page);
    await page.click("[data-action=ghost]");
    assert.notEqual(await picture(page), shown);
  });
});

test("the limit tool shows the set and the path, changes a limit, poses the limb, writes XML", () =>
  withPage(buildParts(), async (page) => {
    await page.evaluate(() => window.tumble.seek(0.25));
    await page.evaluate(() => {
      window.tumble.select("hip");
    });
    await page.click("[data-action=limits]");
    await page.waitForFunction(() => window.tumble.limits.path().length === 121);
    const limits = (name, ...list) => page.evaluate(([n, l]) => window.tumble.limits[n](...l), [name, list]);
    (await limits("path")).forEach((r, k) => near(r, limbVector(k / 60), 1e-12, `path ${k}`));
    near(await limits("current"), limbVector(0.25), 1e-12);
    assert.equal(await limits("outside"), 0);
    const solid = await limits("triangles");
    assert.ok(solid > 1000);
    assert.ok((await variation(page, ".limit-view")) > 8, "the solid is drawn");

    await page.fill('[data-limit="limits.swing.1"]', "20");
    await page.waitForFunction(() => window.tumble.limits.outside() > 0);
    assert.ok(Math.abs((await limits("get")).limits.swing[1] - (20 * Math.PI) / 180) < 1e-15);
    assert.notEqual(await limits("triangles"), solid);
    const inside = (r) => Math.hypot(...swingOf(r).map((x, i) => x / [1, (20 * Math.PI) / 180][i])) <= 1;
    const expected =
      Array.from({length: 121}, (_, k) => limbVector(k / 60)).filter((r) => !inside(r)).length / 121;
    assert.ok(Math.abs((await limits("outside")) - expected) < 1.5 / 121);
    assert.match(await limits("xml"), /swing="57\.29577951deg 20deg"/);
    await page.fill('[data-limit="limits.swing.1"]', "-3");
    assert.ok(
      await page.locator('[data-limit="limits.swing.1"]').evaluate((input) => !input.checkValidity()),
    );

    await limits("pose", [0.2, -0.4, 0.1]);
    near(await limits("current"), [0.2, -0.4, 0.1], 1e-12);
    const posed = await page.evaluate(() => window.tumble.poseOf("limb"));
    await page.click("text=Back to the run");
    await assertPose(page, "limb", 0.25, 1e-12);
    assert.ok(Math.hypot(...posed.position.map((x, i) => x - stateAt(0.25)[1][i])) > 0.05);
    const box = await page.locator(".limit-view").boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const picked = await limits("current");
    assert.ok(Math.hypot(...picked.map((x, i) => x - limbVector(0.25)[i])) > 0.01, "a click poses the limb");
    await page.evaluate(() => window.tumble.seek(0.5));
    await assertPose(page, "limb", 0.5, 1e-12);

    await page.evaluate(() => window.tumble.limits.open("pivot"));
    assert.ok((await limits("path")).every(([x], k) => Math.abs(x - pendulumAngle(k / 60)) < 1e-12));
  }));

function swingOf(r) {
  const angle = Math.hypot(...r),
    c = Math.cos(angle),
    s = Math.sin(angle) / angle,
    f = (1 - c) / angle ** 2;
  const u = [c + f * r[0] * r[0], s * r[2] + f * r[0] * r[1], -s * r[1] + f * r[0] * r[2]];
  const sine = Math.hypot(u[1], u[2]),
    theta = Math.atan2(sine, u[0]) / sine;
  return [-theta * u[2], theta * u[1]];
}

for (const [what, options, encoding] of [
  ["deflated doubles", {}, () => "deflate"],
  [
    "packed single precision",
    {precision: "f32", numbers: 7},
    (name) => (name.includes("frames") ? "delta:22 shuffle:4 deflate" : ""),
  ],
])
  test(`one file opens from file:// and plays: ${what}`, async () => {
    const file = join(folder, `${what.replaceAll(" ", "-")}.html`);
    writeFileSync(file, embed(buildParts(options), encoding));
    const {page, faults, close} = await open(browser, pathToFileURL(file).href);
    await page.evaluate(() => window.tumble.seek(0.7));
    for (const name of ["pendulum", "limb", "ball"])
      await assertPose(page, name, 0.7, options.precision ? 3e-7 : 1e-12);
    assert.ok((await variation(page)) > 8);
    assert.equal(await page.locator("[data-action=save]").count(), 0, "a saved page cannot save itself");
    await page.evaluate(() => window.tumble.play());
    await page.waitForFunction(() => window.tumble.time() > 1);
    assert.deepEqual(faults, []);
    await close();
  });

test("the whole motion stays in the picture until the user moves the camera", () =>
  withPage(buildParts(), async (page) => {
    await page.evaluate(() => window.tumble.overlay("names", true));
    const names = async () => {
      await page.waitForTimeout(200);
      return page
        .locator(".label.name:visible")
        .evaluateAll((all) => all.map((e) => e.getBoundingClientRect().y));
    };
    const before = await names();
    await page.evaluate(() => window.tumble.plot("energy"));
    const less = await names(),
      view = await page.locator(".view").boundingBox();
    assert.equal(less.length, before.length);
    assert.ok(Math.max(...less) < view.y + view.height, "the plots hide none");
    await page.keyboard.press("g");
    assert.deepEqual(await names(), before);
  }));

test("the space bar plays, whatever was clicked; escape closes what is open first", () =>
  withPage(buildParts(), async (page) => {
    const box = page.locator(".show input[type=checkbox]").first();
    await box.click();
    await page.keyboard.press(" ");
    await page.waitForFunction(() => window.tumble.time() > 0.1);
    assert.ok(await box.isChecked());
    await box.focus();
    await page.keyboard.press(" ");
    const stopped = await page.evaluate(() => window.tumble.time());
    await page.waitForTimeout(100);
    assert.equal(await page.evaluate(() => window.tumble.time()), stopped);
    assert.ok(Math.abs(stopped * 60 - Math.round(stopped * 60)) < 1e-9, "it stops at a frame");
    assert.ok(await box.isChecked());
    await page.evaluate(() => window.tumble.select("limb"));
    await page.click("[data-action=view]");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".sheet:visible").count(), 0);
    assert.equal(await page.locator(".selection h2").innerText(), "limb");
    await page.fill("input[type=search]", "lim");
    await page.keyboard.press("Escape");
    assert.ok((await page.locator(".tree .item").count()) > 1);
  }));

test("a film is made picture by picture, all of one size", () =>
  withPage(buildParts(), async (page) => {
    await page.selectOption(".speed", "8");
    await page.click("[data-action=film]");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.click("[data-action=record]"),
    ]);
    const film = readFileSync(await download.path());
    assert.equal(film.readUInt32BE(0), 0x1a45dfa3);
    // 2 s at eight times the speed and 30 pictures a second: blocks of one track.
    const mark = Buffer.from([0xa3, 1]);
    let blocks = 0;
    for (let i = film.indexOf(mark); i >= 0; i = film.indexOf(mark, i + 1))
      if (film[i + 9] === 0x81) ++blocks;
    assert.equal(blocks, 8);
  }));

test("'Save page' gives the file of the server", () =>
  withPage(
    buildParts(),
    async (page) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.click("[data-action=save]")]);
      assert.equal(download.suggestedFilename(), "test-swing.html");
      assert.equal(readFileSync(await download.path(), "utf8"), "<p>saved</p>");
    },
    {saved: "<p>saved</p>"},
  ));

test("a recording that cannot be read is said, not a white page", () => {
  const parts = buildParts();
  parts.delete("0/scene.glb");
  return withPage(
    parts,
    async (page, faults) => {
      await page.locator(".failure h1").waitFor();
      assert.match(await page.locator(".failure").innerText(), /refused 0\/scene\.glb: 404/);
      assert.ok(faults.length > 0, "the failure is on the console");
    },
    {wait: false, expectFaults: true},
  );
});

test("a block that is missing stops nothing else", () => {
  const parts = buildParts();
  parts.delete("0/frames/2");
  return withPage(
    parts,
    async (page) => {
      await page.evaluate(() => window.tumble.seek(1.2).catch(() => undefined));
      await page.evaluate(() => window.tumble.seek(0.2));
      await assertPose(page, "ball", 0.2, 1e-12);
      await page.keyboard.press("Home");
      await page.locator(".scrub").evaluate((input) => {
        input.value = "1.2";
        input.dispatchEvent(new Event("input"));
      });
      await page.locator(".problem:visible").waitFor();
      assert.match(await page.locator(".problem").innerText(), /refused 0\/frames\/2: 404/);
    },
    {expectFaults: true},
  );
});

test("nothing but the page's own parts is asked of the server", () =>
  withPage(buildParts(), async (page, faults, server) => {
    await page.evaluate(() => window.tumble.seek(1));
    const names = server.requests.map((url) => url.split("/").slice(2).join("/"));
    for (const name of names)
      assert.match(
        name,
        /^$|^page\.js$|^0\/(run\.json|scene\.glb|log|frames\/\d+|contacts\/\d+|reactions\/\d+)$/,
      );
  }));
