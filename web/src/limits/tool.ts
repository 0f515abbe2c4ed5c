// The joint-limit tool: shows the set of rotations that a joint's limits allow and the joint's path through
// it, edits the limits, and poses the limb.
import type {App} from "../app";
import type {Joint, Limits, Range} from "../data/manifest";
import type {Vec3} from "../math/vector";
import {fromRotationVector, norm, rotationVector} from "../math/vector";
import {jointCoordinate, type SeriesBook} from "../plots/series";
import {copyText, el} from "../ui/dom";
import {formatTime, toDegrees, toRadians} from "../ui/format";
import {icon} from "../ui/icons";
import {comfortLimits, relativeRotation, room} from "./limit_set";
import {poseLimb} from "./limb";
import {extractSurface, findBox, type Surface} from "./surface";
import {LimitView} from "./view";
import {asSettings, limitAttributes, withAttributes} from "./xml";

const CELLS = 44; // of the grid that the solid is drawn on
const TIME_HEIGHT = 1.2; // a hinge's picture has time upwards, this high

/** A number of the limits in the form: which one. */
type Field = {key: keyof Limits; index: number; label: string; of: "limits" | "comfort"};

export class LimitTool {
  readonly element = el("section", {className: "limit-tool", hidden: true, label: "limits of a joint"});
  private joint: Joint | null = null;
  private original: {limits: Limits; comfort: Limits} = {limits: {}, comfort: {}};
  private vectors: Vec3[] = [];
  private view: LimitView | null = null;
  private solid: Surface | null = null;
  private isOutside = 0;
  private readonly report = el("p", {className: "report"});
  private readonly form = el("div", {className: "limit-form"});
  private readonly sliders: {input: HTMLInputElement; text: HTMLElement}[] = [];
  private readonly back = el("button", {disabled: true}, "Back to the run");

  constructor(
    private readonly app: App,
    private readonly book: SeriesBook,
  ) {
    app.onShown(() => this.showPoint());
  }

  /** Opens the tool for a joint. */
  async open(index: number): Promise<void> {
    const joint = this.app.recording.manifest.joints[index];
    if (joint.type !== "ball" && joint.type !== "hinge")
      return this.app.report(
        new Error(`${joint.name} is a ${joint.type}; the tool shows ball joints and hinges`),
      );
    if (this.joint !== joint) this.original = structuredClone({limits: joint.limits, comfort: joint.comfort});
    this.joint = joint;
    this.build(joint);
    this.element.hidden = false;
    this.view!.resize();
    try {
      this.vectors = await this.readPath(joint);
    } catch (error) {
      return this.app.report(error);
    }
    if (this.joint === joint) this.update();
  }

  close(): void {
    this.element.hidden = true;
    this.app.pose(null);
  }

  get(): {limits: Limits; comfort: Limits} {
    const {limits, comfort} = this.opened;
    return structuredClone({limits, comfort});
  }
  /** Changes limits; the others stay. */
  set(limits: Limits): void {
    Object.assign(this.opened.limits, structuredClone(limits));
    this.buildForm(this.opened);
    this.update();
  }
  pose(r: Vec3 | null): void {
    this.app.pose(r && poseLimb(this.app, this.opened, r));
  }
  /** The rotation vector as shown. */
  current(): Vec3 {
    const joint = this.opened,
      {model} = this.app;
    return rotationVector(
      relativeRotation(model.rotationOf(joint.a), joint.frame_a, model.rotationOf(joint.b), joint.frame_b),
    );
  }
  path(): Vec3[] {
    return this.vectors;
  }
  /** The part of the frames in which the joint is outside of its limits. */
  outside(): number {
    return this.isOutside;
  }
  triangles(): number {
    return (this.solid?.indices.length ?? 0) / 3;
  }
  xml(): string {
    const {xml, name, type, limits, comfort} = this.opened;
    return withAttributes(xml || `<joint name="${name}" type="${type}"/>`, limitAttributes(limits, comfort));
  }

  private get opened(): Joint {
    if (!this.joint) throw new Error("the limit tool is not open");
    return this.joint;
  }
  private get isHinge(): boolean {
    return this.opened.type === "hinge";
  }

  private build(joint: Joint): void {
    this.view ??= new LimitView((r) => this.pose(this.isHinge ? [r[0], 0, 0] : r));
    this.view.setAxes(this.isHinge ? ["angle", "time", ""] : ["axis", "axis2", "axis × axis2"]);
    const copy = (label: string, text: () => string): HTMLButtonElement => {
      const button = el("button", {}, label);
      button.onclick = async () => {
        await copyText(text());
        button.textContent = "Copied";
        setTimeout(() => {
          button.textContent = label;
        }, 1500);
      };
      return button;
    };
    const xml = copy("Copy XML", () => this.xml());
    xml.dataset.action = "copy-xml";
    this.back.onclick = () => this.pose(null);
    this.buildForm(joint);
    this.element.replaceChildren(
      el(
        "header",
        {},
        el("h2", {}, joint.name),
        el("span", {className: "tag"}, joint.type),
        el("span", {className: "grow"}),
        el(
          "button",
          {className: "icon", label: "close", title: "Close", onclick: () => this.close()},
          icon("close"),
        ),
      ),
      this.view.element,
      el(
        "p",
        {className: "note"},
        this.isHinge
          ? "Angle of b relative to a over time. Click into the range to pose the limb."
          : "Rotation vector of b relative to a, in the axes of the joint. Click the solid to pose the limb.",
      ),
      this.report,
      this.form,
      el("div", {className: "sliders"}, el("h3", {}, "Pose"), ...this.buildSliders(), this.back),
      el(
        "footer",
        {},
        xml,
        copy("Copy --set", () =>
          asSettings(this.opened, limitAttributes(this.opened.limits, this.opened.comfort)),
        ),
        el("button", {onclick: () => this.reset()}, "Reset limits"),
      ),
    );
  }

  private buildForm(joint: Joint): void {
    const rows = (["limits", "comfort"] as const).flatMap((of) =>
      Object.entries(joint[of]).map(([key, values]) => {
        const fields = (values as number[]).map((_, index): Field => ({
          key: key as keyof Limits,
          index,
          of,
          label: `${of === "comfort" ? "comfort " : ""}${key}`,
        }));
        return el(
          "div",
          {className: `limit-row ${of}`},
          el("span", {className: "name"}, fields[0].label),
          ...fields.map((field) => this.buildField(joint, field)),
          el("span", {className: "unit"}, "°"),
        );
      }),
    );
    this.form.replaceChildren(
      el("h3", {}, "Limits"),
      ...rows,
      rows.length === 0
        ? el("p", {className: "note"}, "The joint has no limits: every rotation is allowed.")
        : "",
      this.addMenu(joint),
    );
  }

  private buildField(joint: Joint, field: Field): HTMLInputElement {
    const values = joint[field.of][field.key] as number[];
    const input = el("input", {
      type: "number",
      step: "any",
      value: String(Number(toDegrees(values[field.index]).toFixed(2))),
      label: `${field.label} ${field.index + 1}`,
      data: {limit: `${field.of}.${field.key}.${field.index}`},
    });
    input.oninput = () => {
      const angle = toRadians(Number(input.value));
      const changed = values.map((v, i) => (i === field.index ? angle : v));
      const fault = input.value === "" ? "not a number" : faultOf(field.key, changed);
      input.setCustomValidity(fault);
      input.title = fault;
      if (fault) return;
      values[field.index] = angle;
      this.update();
    };
    return input;
  }

  /** Adds a kind of limit that the joint does not have. */
  private addMenu(joint: Joint): HTMLElement {
    const right = Math.PI / 2,
      kinds: [keyof Limits, string, number[]][] = this.isHinge
        ? [["angle", "range of the angle", [-right, right]]]
        : [
            ["twist", "twist about the axis", [-right, right]],
            ["swing", "swing: cone", [right]],
            ["swing", "swing: ellipse", [right, right / 2]],
            ["x", "component along axis", [-right, right]],
            ["y", "component along axis2", [-right, right]],
            ["z", "component along axis × axis2", [-right, right]],
          ];
    const left = kinds.filter(([key]) => !joint.limits[key]);
    const menu = el(
      "select",
      {label: "add a limit"},
      el("option", {value: ""}, "Add a limit …"),
      ...left.map(([, text], i) => el("option", {value: String(i)}, text)),
    );
    menu.hidden = left.length === 0;
    menu.onchange = () => {
      const [key, , values] = left[Number(menu.value)];
      this.set({[key]: values});
    };
    return menu;
  }

  private buildSliders(): HTMLElement[] {
    this.sliders.length = 0;
    const names = this.isHinge ? ["angle"] : ["axis", "axis2", "axis × axis2"];
    return names.map((name) => {
      const input = el("input", {type: "range", min: "-180", max: "180", step: "any", label: `pose ${name}`});
      const text = el("span", {className: "value"});
      this.sliders.push({input, text});
      input.oninput = () => {
        const r = [0, 1, 2].map((i) => toRadians(Number(this.sliders[i]?.input.value ?? 0))) as Vec3;
        const angle = norm(r),
          f = angle > Math.PI ? Math.PI / angle : 1;
        this.pose([r[0] * f, r[1] * f, r[2] * f]);
      };
      return el("label", {className: "slider"}, el("span", {className: "name"}, name), input, text);
    });
  }

  private reset(): void {
    Object.assign(this.opened, structuredClone(this.original));
    this.buildForm(this.opened);
    this.update();
  }

  /** Draws the solid again, judges the path, and redraws the limits in the picture. */
  private update(): void {
    const joint = this.opened,
      {limits, comfort} = joint;
    const zone = comfortLimits(limits, comfort);
    this.solid = this.isHinge ? slab(limits.angle) : solidOf(limits);
    this.view!.setSolids(this.solid, !zone ? null : this.isHinge ? slab(zone.angle) : solidOf(zone));
    const rooms = this.vectors.map((r) => room(limits, fromRotationVector(r)));
    const ROUND_OFF = 1e-4; // rad; limits are held to about the accuracy of the run
    const inside = rooms.map((value) => value > -ROUND_OFF);
    const count = inside.filter((yes) => !yes).length;
    this.isOutside = rooms.length ? count / rooms.length : 0;
    this.view!.setPath(
      this.vectors.map((r, k) => this.drawn(r, k)),
      inside,
    );
    this.showPoint();
    let worst = 0;
    rooms.forEach((value, k) => {
      if (value < rooms[worst]) worst = k;
    });
    const time = formatTime(this.app.recording.timeOf(worst));
    this.report.className = `report ${count ? "broken" : "held"}`;
    this.report.textContent =
      !rooms.length || !Number.isFinite(rooms[worst])
        ? "No limit, nothing to hold."
        : count
          ? `Outside in ${(this.isOutside * 100).toFixed(1)} % of frames, by ${deg(-rooms[worst])} at ${time}.`
          : `Inside in every frame; nearest ${deg(Math.max(0, rooms[worst]))} at ${time}.`;
    if (this.app.current) this.app.refresh().catch((error) => this.app.report(error));
  }

  /** Where a rotation vector is drawn: a hinge's angle over time. */
  private drawn(r: Vec3, frame: number): Vec3 {
    const frames = Math.max(1, this.app.recording.manifest.frames - 1);
    return this.isHinge ? [r[0], (TIME_HEIGHT * frame) / frames, 0] : r;
  }

  private showPoint(): void {
    if (!this.joint || this.element.hidden || !this.view) return;
    const r = this.current(),
      {clock, isPosed} = this.app;
    const part = (clock.time.value - clock.start) / (clock.end - clock.start || 1);
    this.view.setPoint(this.isHinge ? [r[0], TIME_HEIGHT * part, 0] : r);
    this.back.disabled = !isPosed;
    this.sliders.forEach(({input, text}, i) => {
      if (document.activeElement !== input) input.value = String(toDegrees(r[i]));
      text.textContent = deg(r[i]);
    });
  }

  private async readPath(joint: Joint): Promise<Vec3[]> {
    const path: Vec3[] = [];
    await this.app.recording.eachFrame((block, frame) => {
      const a = this.book.place(block, frame, joint.a),
        b = this.book.place(block, frame, joint.b);
      path.push(
        joint.type === "hinge"
          ? [jointCoordinate(joint, "angle", a, b), 0, 0]
          : rotationVector(relativeRotation(a.rotation, joint.frame_a, b.rotation, joint.frame_b)),
      );
    });
    return path;
  }
}

const deg = (angle: number): string => `${toDegrees(angle).toFixed(1)}°`;

function solidOf(limits: Limits): Surface | null {
  const f = (r: Vec3): number => Math.min(room(limits, fromRotationVector(r)), Math.PI - norm(r));
  const box = findBox(f, Math.PI * 1.05);
  return box && extractSurface(f, box, CELLS);
}

/** The range of a hinge, over time. */
function slab(range: Range | undefined): Surface | null {
  if (!range) return null;
  const HALF_DEPTH = 0.06;
  const middle = (range[0] + range[1]) / 2,
    half = (range[1] - range[0]) / 2;
  const f = ([x, y, z]: Vec3): number =>
    Math.min(half - Math.abs(x - middle), HALF_DEPTH - Math.abs(z), y, TIME_HEIGHT - y);
  return extractSurface(
    f,
    {lo: [range[0] - 0.05, -0.05, -0.1], hi: [range[1] + 0.05, TIME_HEIGHT + 0.05, 0.1]},
    24,
  );
}

/** What is wrong with the numbers of a limit; empty: nothing. */
export function faultOf(key: keyof Limits, values: number[]): string {
  if (values.some((v) => !Number.isFinite(v))) return "not a number";
  if (key === "swing") {
    if (values.length < 4) return values.every((v) => v > 0 && v < Math.PI) ? "" : "above 0 and below 180°";
    const [lo1, hi1, lo2, hi2] = values;
    return lo1 < 0 && hi1 > 0 && lo2 < 0 && hi2 > 0 ? "" : "lower ones below 0, upper ones above 0";
  }
  return values[0] <= values[1] ? "" : "the first must not be above the second";
}
