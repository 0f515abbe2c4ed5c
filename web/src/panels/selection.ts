// The selected body or joint: state, mass properties, contacts; coordinates, limits and forces.
import type {App, Selection, Shown} from "../app";
import type {Joint} from "../data/manifest";
import {BODY_QUANTITIES, JOINT_QUANTITIES, jointCoordinate, stateOf, type Placed} from "../plots/series";
import {el} from "../ui/dom";
import {formatNumber, formatValue, toDegrees} from "../ui/format";
import {ContactTable} from "./contacts";
import {numberField, row, vectorRow, type NumberField, type PlotByName} from "./number";

export class SelectionPanel {
  readonly element = el("section", {className: "panel selection"});
  private update: (shown: Shown) => void = () => undefined;

  constructor(
    private readonly app: App,
    private readonly plot: PlotByName,
    private readonly openLimits: (joint: number) => void,
  ) {
    app.selection.watch((selection) => this.build(selection));
    app.addNeeds(() => ({
      contacts: this.app.selection.value?.kind === "body",
      reactions: this.app.selection.value?.kind === "joint",
    }));
    app.onShown((shown) => this.update(shown));
  }

  private build(selection: Selection | null): void {
    this.update = () => undefined;
    if (!selection) {
      this.element.replaceChildren(
        el("p", {className: "empty"}, "Click a body in the picture or a name in the list to see its state."),
      );
      return;
    }
    const [content, update] =
      selection.kind === "body" ? this.buildBody(selection.index) : this.buildJoint(selection.index);
    this.element.replaceChildren(...content);
    this.update = update;
    this.app.refresh().catch((error) => this.app.report(error));
  }

  private buildBody(index: number): [HTMLElement[], (shown: Shown) => void] {
    const {app, plot} = this,
      {manifest, layout, log} = app.recording,
      body = manifest.bodies[index];
    const moves = layout.slotOf[index] >= 0,
      fields = new Map<string, NumberField>();
    const field = (what: string): HTMLElement => {
      const made = numberField(`${body.name}.${what}`, BODY_QUANTITIES[what].unit, plot);
      fields.set(what, made);
      return made.element;
    };
    const group = (label: string, ...names: string[]): HTMLElement => row(label, ...names.map(field));
    const vector = (label: string, ...names: string[]): HTMLElement =>
      vectorRow(label, BODY_QUANTITIES[names[0]].unit, names.map(field));
    const follow = el("button", {className: "toggle", title: "The camera goes with this body (F)"}, "Follow");
    app.follow.watch((followed) => follow.setAttribute("aria-pressed", String(followed === index)));
    follow.onclick = () => {
      app.follow.value = app.follow.value === index ? null : index;
    };
    const content: HTMLElement[] = [
      el(
        "header",
        {},
        el("h2", {}, body.name),
        el("span", {className: "tag"}, body.fixed ? "fixed" : body.scripted ? "scripted" : "body"),
        moves && follow,
      ),
    ];
    if (moves) {
      const derived = manifest.numbers_per_body === 7;
      content.push(
        el("h3", {}, "State"),
        group("speed", "speed"),
        group("spin", "spin"),
        group("kinetic energy", "kinetic"),
        group("momentum", "momentum"),
        group("angular momentum", "spin-momentum"),
        vector("position", "x", "y", "z"),
        vector("velocity", "vx", "vy", "vz"),
        vector("angular velocity", "wx", "wy", "wz"),
      );
      if (derived)
        content.push(el("p", {className: "note"}, "Velocities are differences of the stored poses."));
    }
    const ownColumns = log.columns
      .filter((column) => column.name.startsWith(`${body.name}.`))
      .map((column) => ({column, field: numberField(column.name, column.unit, plot)}));
    if (ownColumns.length)
      content.push(
        el("h3", {}, "Log"),
        ...ownColumns.map(({column, field: made}) =>
          row(column.name.slice(body.name.length + 1), made.element),
        ),
      );
    const difference =
      app.ghost && moves && app.ghost.recording.bodyIndex(body.name) >= 0
        ? numberField(`difference.${body.name}`, "m", plot)
        : null;
    if (difference)
      content.push(el("h3", {}, "Compared"), row("distance to the other run", difference.element));
    content.push(
      el("h3", {}, "Mass"),
      row("mass", formatValue(body.mass, "kg")),
      vectorRow("centre, in its own frame", "m", body.center.map(plain)),
    );
    if (body.principal)
      content.push(vectorRow("principal moments", "kg m²", body.principal.moments.map(plain)));
    const table = new ContactTable(app, index),
      contactForce = numberField(`${body.name}.contact-force`, "N", plot);
    if (manifest.contacts)
      content.push(
        el("h3", {}, "Contacts"),
        row("sum of normal forces", contactForce.element),
        table.element,
      );

    return [
      content,
      ({moment, ghost}) => {
        if (moves) {
          const state = stateOf(moment.numbers, index);
          for (const [what, made] of fields) made.set(BODY_QUANTITIES[what].of(state, body));
          difference?.set(app.difference({moment, ghost}, index));
        }
        const logRow = log.rowAt(moment.t);
        for (const {column, field: made} of ownColumns) made.set(logRow < 0 ? null : column.values[logRow]);
        const mine = (moment.contacts ?? []).filter((contact) => contact.a === index || contact.b === index);
        contactForce.set(mine.reduce((sum, contact) => sum + contact.force, 0));
        table.update(mine);
      },
    ];
  }

  private buildJoint(index: number): [HTMLElement[], (shown: Shown) => void] {
    const {app, plot} = this,
      {manifest} = app.recording,
      joint = manifest.joints[index];
    const coordinates = Object.entries(JOINT_QUANTITIES)
      .filter(([, quantity]) => quantity.has(joint))
      .map(([what, quantity]) => ({what, field: numberField(`${joint.name}.${what}`, quantity.unit, plot)}));
    const body = (i: number): HTMLElement =>
      i < 0
        ? el("span", {}, "world")
        : el(
            "button",
            {className: "link", onclick: () => app.select({kind: "body", index: i})},
            app.nameOf(i),
          );
    const content: HTMLElement[] = [
      el("header", {}, el("h2", {}, joint.name), el("span", {className: "tag"}, joint.type)),
      row("between", body(joint.a), body(joint.b)),
      ...(coordinates.length ? [el("h3", {}, "Coordinates")] : []),
      ...coordinates.map(({what, field}) => row(what, field.element)),
      el("h3", {}, "Limits"),
      ...limitRows(joint),
    ];
    if (joint.type === "ball" || joint.type === "hinge")
      content.push(
        el(
          "button",
          {className: "wide", data: {action: "limits"}, onclick: () => this.openLimits(index)},
          "Show limits and motion",
        ),
      );
    const reactions = manifest.reactions
      ? ["fx", "fy", "fz", "tx", "ty", "tz", "effort"].map((what, i) => ({
          what,
          field: numberField(`${joint.name}.${what}`, i < 3 ? "N" : i < 6 ? "N m" : "", plot),
        }))
      : [];
    if (reactions.length) {
      const of = (i: number, j: number): HTMLElement[] =>
        reactions.slice(i, j).map(({field}) => field.element);
      content.push(
        el("h3", {}, "Reaction of a on b"),
        vectorRow("force", "N", of(0, 3)),
        vectorRow("torque", "N m", of(3, 6)),
        row("effort", ...of(6, 7)),
      );
    }
    if (joint.xml) content.push(el("h3", {}, "In the scene"), el("pre", {}, joint.xml));

    return [
      content,
      ({moment}) => {
        const place = (i: number): Placed => ({
          origin: (p) => app.model.toScene(i, p),
          rotation: app.model.rotationOf(i),
        });
        for (const {what, field} of coordinates)
          field.set(jointCoordinate(joint, what, place(joint.a), place(joint.b)));
        const reaction = moment.reactions?.[index];
        if (reaction)
          [...reaction.force, ...reaction.torque, reaction.effort].forEach((n, i) =>
            reactions[i]?.field.set(n),
          );
      },
    ];
  }
}

const plain = (value: number): HTMLElement => el("span", {className: "number"}, formatNumber(value));
const unit = (text: string): HTMLElement => el("span", {className: "unit"}, text);

function limitRows(joint: Joint): HTMLElement[] {
  const rows: HTMLElement[] = [];
  for (const [name, values] of Object.entries(joint.limits)) {
    const angle = name !== "travel" && name !== "distance",
      numbers = (values as number[]).map((v) => formatNumber(angle ? toDegrees(v) : v));
    rows.push(row(name, numbers.join(" … "), unit(angle ? "°" : "m")));
  }
  return rows.length ? rows : [el("p", {className: "note"}, "This joint has none.")];
}
