// Joints: their points, axes and limits.
import type {App} from "../app";
import type {Joint} from "../data/manifest";
import type {Quat, Vec3} from "../math/vector";
import {add, multiply, rotate, scale} from "../math/vector";
import {boundaryOfSwing} from "../limits/limit_set";
import type {Label} from "../scene/labels";
import {JOINT, LIMIT} from "./colors";
import {Dots, Lines} from "./marks";
import type {Overlay} from "./overlay";

const MOST_JOINTS = 2000;
const FAN_STEP = 0.1; // rad between the lines of an arc

export function jointOverlay(app: App): Overlay {
  const {model} = app,
    {manifest} = app.recording,
    unit = manifest.focus.radius;
  const dots = new Dots(),
    lines = new Lines();
  dots.object.add(lines.object);
  let arm = 0;
  const ARM = unit * 0.065,
    SELECTED_ARM = unit * 0.16;

  function draw(joint: Joint): void {
    const a = model.toScene(joint.a, joint.point_a),
      b = model.toScene(joint.b, joint.point_b);
    dots.add(a, unit * 0.009, JOINT);
    if (joint.type === "distance" || Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) > unit * 0.01) {
      dots.add(b, unit * 0.009, JOINT);
      lines.add(a, b, JOINT);
    }
    if (joint.axis_a && joint.type !== "ball") {
      const axis = scale(rotate(model.rotationOf(joint.a), joint.axis_a), arm * 0.7);
      lines.add(add(a, scale(axis, -1)), add(a, axis), JOINT);
    }
    drawLimits(joint, a);
  }

  function drawLimits(joint: Joint, at: Vec3): void {
    const frameA = multiply(model.rotationOf(joint.a), joint.frame_a);
    const frameB = multiply(model.rotationOf(joint.b), joint.frame_b);
    const {limits} = joint;
    if (limits.angle) {
      const to = (frame: Quat, angle: number): Vec3 =>
        add(at, rotate(frame, [0, arm * Math.cos(angle), arm * Math.sin(angle)]));
      const [lo, hi] = limits.angle,
        steps = Math.max(2, Math.ceil(Math.min(hi - lo, 2 * Math.PI) / FAN_STEP));
      const arc = Array.from({length: steps + 1}, (_, i) => to(frameA, lo + ((hi - lo) * i) / steps));
      lines.path([at, ...arc, at], LIMIT);
      lines.add(at, to(frameB, 0), JOINT);
    }
    if (limits.travel) {
      const [lo, hi] = limits.travel.map((s) => add(at, rotate(frameA, [s, 0, 0])));
      lines.add(lo, hi, LIMIT);
    }
    if (limits.swing?.length) {
      const rim = boundaryOfSwing(limits.swing, 32).map((axis) => add(at, rotate(frameA, scale(axis, arm))));
      lines.path(rim, LIMIT);
      for (let i = 0; i < rim.length - 1; i += 8) lines.add(at, rim[i], LIMIT);
      lines.add(at, add(at, rotate(frameB, [arm * 1.15, 0, 0])), JOINT);
    }
  }

  return {
    name: "joints",
    label: "Joints",
    key: "J",
    object: dots.object,
    says: "their points, axes and limits",
    update(): Label[] {
      dots.begin();
      lines.begin();
      const selected = app.selection.value;
      manifest.joints.slice(0, MOST_JOINTS).forEach((joint, i) => {
        arm = selected?.kind === "joint" && selected.index === i ? SELECTED_ARM : ARM;
        draw(joint);
      });
      dots.end();
      lines.end();
      return [];
    },
  };
}
