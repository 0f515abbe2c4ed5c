// The list of bodies and joints: search, order, click to select.
import type {App, Selection, Shown} from "../app";
import {STATE_NUMBERS} from "../data/frames";
import {el} from "../ui/dom";
import {formatShort} from "../ui/format";

const MOST_ROWS = 400;
type Order = "tree" | "name" | "speed";

interface Row {
  selection: Selection;
  name: string;
  note: string;
  depth: number;
}

export class TreePanel {
  readonly element: HTMLElement;
  private readonly list = el("div", {className: "tree", role: "listbox", label: "bodies and joints"});
  private readonly search = el("input", {
    type: "search",
    placeholder: "Search bodies and joints",
    label: "search bodies and joints",
  });
  private readonly order = el(
    "select",
    {label: "order", title: "Order of the bodies"},
    el("option", {value: "tree"}, "as joined"),
    el("option", {value: "name"}, "by name"),
    el("option", {value: "speed"}, "fastest first"),
  );
  private readonly rows: Row[];
  private speeds: Float64Array;
  private shownRows: {row: Row; element: HTMLElement; speed: HTMLElement | null}[] = [];
  private updated = 0;

  constructor(private readonly app: App) {
    this.rows = buildRows(app);
    this.speeds = new Float64Array(app.recording.manifest.bodies.length);
    this.search.oninput = () => this.rebuild();
    this.order.onchange = () => this.rebuild();
    this.search.onkeydown = (event) => {
      if (event.key === "Escape") {
        this.search.value = "";
        this.rebuild();
      }
      if (event.key !== "Enter" || !this.shownRows[0]) return;
      app.select(this.shownRows[0].row.selection);
      this.search.blur();
    };
    this.element = el(
      "section",
      {className: "panel bodies"},
      el("div", {className: "search"}, this.search, this.order),
      this.list,
    );
    this.rebuild();
    app.selection.watch(() => this.markSelection());
    app.onShown((shown) => this.update(shown));
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  private rebuild(): void {
    const words = this.search.value.trim().toLowerCase(),
      order = this.order.value as Order;
    let rows = this.rows.filter((row) => `${row.name} ${row.note}`.toLowerCase().includes(words));
    if (order === "name")
      rows = [...rows].sort((a, b) => a.name.localeCompare(b.name, undefined, {numeric: true}));
    if (order === "speed")
      rows = rows
        .filter((row) => row.selection.kind === "body")
        .sort((a, b) => this.speedOf(b) - this.speedOf(a));
    const flat = order !== "tree" || words !== "";
    this.shownRows = rows.slice(0, MOST_ROWS).map((row) => {
      const isBody = row.selection.kind === "body";
      const moves = isBody && !this.app.recording.manifest.bodies[row.selection.index].fixed;
      const speed = moves ? el("span", {className: "speed-value"}) : null;
      const element = el(
        "button",
        {
          className: `item ${row.selection.kind}`,
          role: "option",
          onclick: () => this.app.select(row.selection),
        },
        el("span", {className: "mark"}),
        el("span", {className: "name"}, row.name),
        speed ?? el("span", {className: "note"}, row.note),
      );
      element.style.paddingLeft = `${10 + (flat ? 0 : Math.min(row.depth, 8) * 12)}px`;
      return {row, element, speed};
    });
    this.list.replaceChildren(...this.shownRows.map((row) => row.element));
    if (rows.length > MOST_ROWS)
      this.list.append(el("p", {className: "note"}, `${rows.length - MOST_ROWS} more. Search for a name.`));
    if (rows.length === 0) this.list.append(el("p", {className: "note"}, "Nothing of this name."));
    this.markSelection();
    this.showSpeeds();
  }

  private update({moment}: Shown): void {
    const PERIOD = 100; // ms between new speeds while playing
    const now = performance.now();
    if (this.app.clock.playing.value && now - this.updated < PERIOD) return;
    this.updated = now;
    for (const i of this.app.recording.layout.moving) {
      const o = i * STATE_NUMBERS + 7,
        n = moment.numbers;
      this.speeds[i] = Math.hypot(n[o], n[o + 1], n[o + 2]);
    }
    if (this.order.value === "speed" && !this.app.clock.playing.value) this.rebuild();
    else this.showSpeeds();
  }

  /** Bodies at rest are equally fast: they keep their order. */
  private speedOf({selection}: Row): number {
    const speed = this.speeds[selection.index];
    return speed < REST ? 0 : speed;
  }

  private showSpeeds(): void {
    for (const {row, speed} of this.shownRows)
      if (speed) speed.textContent = speedText(this.speeds[row.selection.index]);
  }

  private markSelection(): void {
    const selected = this.app.selection.value;
    for (const {row, element} of this.shownRows) {
      const on = row.selection.kind === selected?.kind && row.selection.index === selected.index;
      element.setAttribute("aria-selected", String(on));
      if (on) element.scrollIntoView({block: "nearest"});
    }
  }
}

const REST = 1e-6; // m/s

/** Below a micrometre a second a body rests; the digits would only flicker. */
function speedText(speed: number): string {
  return `${formatShort(speed < REST ? 0 : speed)} m/s`;
}

/** Bodies below those they hang on, with the joint between them. */
function buildRows(app: App): Row[] {
  const {bodies, joints} = app.recording.manifest,
    rows: Row[] = [];
  const seen = new Set<number>(),
    listed = new Set<number>();
  const byBody: number[][] = bodies.map(() => []);
  joints.forEach((joint, i) => {
    for (const body of new Set([joint.a, joint.b])) if (body >= 0) byBody[body].push(i);
  });
  const addJoint = (i: number, depth: number): void => {
    listed.add(i);
    rows.push({selection: {kind: "joint", index: i}, name: joints[i].name, note: joints[i].type, depth});
  };
  const visit = (root: number): void => {
    const stack: {body: number; depth: number; by: number}[] = [{body: root, depth: 0, by: -1}];
    for (let next = stack.pop(); next; next = stack.pop()) {
      const {body, depth, by} = next;
      if (seen.has(body)) continue;
      seen.add(body);
      if (by >= 0) addJoint(by, depth);
      rows.push({
        selection: {kind: "body", index: body},
        name: bodies[body].name,
        note: bodies[body].fixed ? "fixed" : "",
        depth,
      });
      for (const i of [...byBody[body]].reverse()) {
        const other = joints[i].a === body ? joints[i].b : joints[i].a;
        if (other >= 0 && !seen.has(other)) stack.push({body: other, depth: depth + 1, by: i});
      }
    }
  };
  bodies.forEach((body, i) => {
    if (body.fixed) visit(i);
  });
  bodies.forEach((_, i) => visit(i));
  joints.forEach((_, i) => {
    if (!listed.has(i)) addJoint(i, 0);
  });
  return rows;
}
