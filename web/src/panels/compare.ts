// All bodies by how far they get from those of the other run.
import type {App} from "../app";
import {STATE_NUMBERS} from "../data/frames";
import {el} from "../ui/dom";
import {formatNumber, formatTime} from "../ui/format";
import type {PlotByName} from "./number";

export interface Difference {
  body: number;
  name: string;
  largest: number; // m, between the centres of mass
  t: number; // s, when it is largest
}

const MOST_ROWS = 200;
const NOTHING = {contacts: false, reactions: false};

/** The largest distance of each body that moves in both runs, over the frames of this one, largest first. */
export async function findDifferences(app: App): Promise<Difference[]> {
  const {recording, ghost} = app;
  if (!ghost) return [];
  const other = ghost.recording,
    found: (Difference & {there: number})[] = [];
  for (const body of recording.layout.moving) {
    const {name} = recording.manifest.bodies[body],
      there = other.bodyIndex(name);
    if (there >= 0 && other.layout.slotOf[there] >= 0)
      found.push({body, name, largest: 0, t: recording.start, there});
  }
  for (let frame = 0; frame < recording.manifest.frames; ++frame) {
    const t = recording.timeOf(frame);
    if (!app.inGhost(t)) continue;
    const [a, b] = await Promise.all([recording.moment(t, NOTHING), other.moment(t, NOTHING)]);
    for (const difference of found) {
      const i = difference.body * STATE_NUMBERS,
        j = difference.there * STATE_NUMBERS;
      const distance = Math.hypot(...[0, 1, 2].map((n) => a.numbers[i + n] - b.numbers[j + n]));
      if (distance > difference.largest) {
        difference.largest = distance;
        difference.t = t;
      }
    }
    const BREATH = 100; // frames
    if (frame % BREATH === BREATH - 1) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return found.sort((a, b) => b.largest - a.largest);
}

/** `isOpen`: the tab is shown. What it shows is computed when that happens first. */
export function comparePanel(app: App, plot: PlotByName, isOpen: () => boolean): HTMLElement {
  const rows = el("tbody"),
    about = el("p", {className: "note"}, "Comparing …");
  const table = el(
    "table",
    {className: "contact-table compare-table"},
    el(
      "thead",
      {},
      el("tr", {}, ...["body", "largest m", "at", "now m"].map((title) => el("th", {}, title))),
    ),
    rows,
  );
  const panel = el("section", {className: "panel compare"}, about, table);
  const {ghost} = app;
  if (!ghost) return panel;
  let asked = false,
    found: Difference[] = [];
  const now: HTMLElement[] = [];

  const fill = (): void => {
    const end = Math.min(app.recording.end, ghost.recording.end);
    about.textContent =
      `Distance of the centres of mass from ${ghostTitle(app)}, until ${formatTime(end)}. ` +
      "A click on a time goes there, one on a distance plots it.";
    rows.replaceChildren(
      ...found.slice(0, MOST_ROWS).map(({body, name, largest, t}, i) => {
        now[i] = el("td", {}, "–");
        const go = (): void => {
          app.clock.pause();
          app.select({kind: "body", index: body}, false);
          app.seek(t).catch((error) => app.report(error));
        };
        const series = `difference.${name}`;
        return el(
          "tr",
          {data: {body: name}},
          el("td", {}, el("button", {className: "link", title: `Go to ${formatTime(t)}`, onclick: go}, name)),
          el(
            "td",
            {},
            el(
              "button",
              {className: "number", title: `Plot ${series}`, data: {series}, onclick: () => plot(series)},
              formatNumber(largest, 3),
            ),
          ),
          el("td", {}, el("button", {className: "link", onclick: go}, formatTime(t))),
          now[i],
        );
      }),
    );
    if (found.length === 0) about.textContent = "No body moves in both runs.";
    update();
  };
  const update = (): void => {
    const shown = app.current;
    if (!shown || !isOpen()) return;
    found.slice(0, now.length).forEach(({body}, i) => {
      const distance = app.difference(shown, body);
      now[i].textContent = distance === null ? "–" : formatNumber(distance, 3);
    });
  };
  app.onShown(() => {
    if (isOpen() && !asked) {
      asked = true;
      findDifferences(app).then(
        (list) => {
          found = list;
          fill();
        },
        (error) => app.report(error),
      );
    }
    update();
  });
  return panel;
}

/** The other run, as its file and accuracy. */
export function ghostTitle(app: App): string {
  const manifest = app.ghost!.recording.manifest;
  const file = / -o ('[^']*'|\S+)/.exec(manifest.command)?.[1] ?? manifest.scene;
  return `${file} (accuracy ${manifest.accuracy})`;
}
