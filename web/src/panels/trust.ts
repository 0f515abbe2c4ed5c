// What the run promised and how it was held, and the log at the time shown.
import type {App} from "../app";
import type {PromiseRow} from "../data/manifest";
import {el} from "../ui/dom";
import {formatNumber, formatTime} from "../ui/format";
import {icon} from "../ui/icons";
import {numberField, row, type PlotByName} from "./number";

/** Columns of the log by what they are about; the others come last. */
const GROUPS: [string, string[]][] = [
  ["Energy", ["energy", "kinetic", "potential", "work"]],
  ["Momentum", ["px", "py", "pz", "lx", "ly", "lz"]],
  ["Contact", ["contacts", "impacts", "max_penetration"]],
  ["Accuracy", ["h", "max_joint_error", "residual"]],
];

export function trustPanel(app: App, plot: PlotByName): HTMLElement {
  const {promises} = app.recording.manifest;
  return el(
    "section",
    {className: "panel trust"},
    el("h3", {}, "Promises"),
    ...promises.map((promise) => promiseRow(app, promise)),
    promises.length === 0 && el("p", {className: "note"}, "The recording holds none: the run did not end."),
    ...logRows(app, plot),
  );
}

function promiseRow(app: App, promise: PromiseRow): HTMLElement {
  const {worst, unit, bound} = promise,
    SHORT_UNIT = 6,
    isShort = unit.length <= SHORT_UNIT;
  const allowed = bound === null ? unit : `≤ ${formatNumber(bound)} ${unit}`;
  const go =
    worst &&
    el(
      "button",
      {className: "link", onclick: () => goTo(app, promise)},
      `${promise.held ? "largest" : "broken"} at ${formatTime(worst.t)}`,
      placeOf(promise),
    );
  return el(
    "div",
    {className: `promise ${promise.held ? "held" : "broken"}`, title: promise.says},
    icon(promise.held ? "check" : "warning"),
    el("span", {className: "name"}, promise.name),
    el(
      "span",
      {className: "numbers"},
      formatNumber(promise.value),
      isShort && el("span", {className: "unit"}, allowed),
    ),
    !isShort && el("span", {className: "more unit"}, allowed),
    go && el("span", {className: "more"}, go),
  );
}

/** The bodies or the joint of the worst value, after a comma. */
function placeOf({worst}: PromiseRow): string {
  const bodies = [worst?.body, worst?.other].filter(Boolean).join(" and ");
  const place = worst?.joint ?? bodies;
  return place ? `, ${place}` : "";
}

function goTo(app: App, {worst}: PromiseRow): void {
  if (!worst) return;
  app.clock.pause();
  const body = worst.body ? app.recording.bodyIndex(worst.body) : -1;
  const joint = worst.joint ? app.recording.jointIndex(worst.joint) : -1;
  if (joint >= 0) app.select({kind: "joint", index: joint});
  else if (body >= 0) app.select({kind: "body", index: body});
  app.seek(worst.t).catch((error) => app.report(error));
}

function logRows(app: App, plot: PlotByName): HTMLElement[] {
  const {log, manifest} = app.recording,
    elements: HTMLElement[] = [];
  if (log.rows === 0) return [el("p", {className: "note"}, "The recording holds no log.")];
  const owned = (name: string): boolean => manifest.bodies.some((body) => name.startsWith(`${body.name}.`));
  const left = new Set(
    log.columns.map((column) => column.name).filter((name) => name !== "t" && !owned(name)),
  );
  const fields: {values: Float64Array; set: (value: number | null) => void}[] = [];
  const add = (name: string): void => {
    const column = log.column(name);
    if (!column || !left.delete(name)) return;
    const field = numberField(name, column.unit, plot);
    fields.push({values: column.values, set: field.set});
    elements.push(row(name.replaceAll("_", " "), field.element));
  };
  for (const [title, names] of [...GROUPS, ["Other", [...left]] as [string, string[]]]) {
    const present = names.filter((name) => left.has(name));
    if (!present.length) continue;
    elements.push(el("h3", {}, title));
    present.forEach(add);
  }
  app.onShown(({moment}) => {
    const at = log.rowAt(moment.t);
    for (const {values, set} of fields) set(at < 0 ? null : values[at]);
  });
  return elements;
}

/** One line for the bar on top: all is well, or the first breach. */
export function trustBadge(app: App, open: () => void): HTMLElement {
  const {promises} = app.recording.manifest;
  const broken = promises
    .filter((promise) => !promise.held)
    .sort((a, b) => (a.worst?.t ?? Infinity) - (b.worst?.t ?? Infinity));
  const first = broken[0];
  if (!promises.length) return el("span");
  if (!first)
    return el(
      "button",
      {className: "badge held", onclick: open, title: "How the promises were held"},
      icon("check"),
      `${promises.length} promises held`,
    );
  const where = first.worst ? ` at ${formatTime(first.worst.t)}${placeOf(first)}` : "";
  return el(
    "button",
    {
      className: "badge broken",
      title: first.says,
      onclick: () => {
        open();
        goTo(app, first);
      },
    },
    icon("warning"),
    `${first.name} broken${where}`,
  );
}
