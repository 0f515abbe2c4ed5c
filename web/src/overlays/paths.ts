// Trails of the centres of mass, and springs.
import * as THREE from "three";

import type {App, Shown} from "../app";
import type {Vec3} from "../math/vector";
import {add, cross, norm, normalized, perpendicular, scale, sub} from "../math/vector";
import type {Label} from "../scene/labels";
import {formatNumber} from "../ui/format";
import {SPRING, TRAIL} from "./colors";
import {Lines} from "./marks";
import type {Overlay} from "./overlay";

const SECONDS = 2; // length of a trail
const MOST_TRAILS = 300;
const MOST_POINTS = 60; // a trail

/** The way of each centre of mass in the last two seconds; of a selected body alone, if one is selected. */
export function trailOverlay(app: App): Overlay {
  const lines = new Lines(2),
    {recording} = app,
    {manifest, layout} = recording;
  const faint = new THREE.Color(0x2a3440);
  let running = false,
    again: Shown | null = null;

  async function draw(shown: Shown): Promise<void> {
    const last = shown.moment.exact ? shown.moment.frame : shown.moment.frame - 1;
    const first = Math.max(0, last - Math.round(SECONDS * manifest.fps));
    const every = Math.max(1, Math.ceil((last - first) / MOST_POINTS));
    const selected = app.selection.value;
    const one = selected?.kind === "body" && layout.slotOf[selected.index] >= 0 ? [selected.index] : null;
    const bodies = one ?? layout.moving.slice(0, MOST_TRAILS);
    const ways: Vec3[][] = bodies.map(() => []);
    await recording.eachFrame(
      (block, frame) => {
        if ((last - frame) % every !== 0) return;
        bodies.forEach((body, i) => ways[i].push(block.position(frame, layout.slotOf[body])));
      },
      first,
      last,
    );
    lines.begin();
    bodies.forEach((body, i) => {
      const way = ways[i];
      way.push(app.model.poseOf(body).position);
      for (let k = 1; k < way.length; ++k)
        lines.add(
          way[k - 1],
          way[k],
          faint.clone().lerp(TRAIL, (k - 1) / way.length),
          faint.clone().lerp(TRAIL, k / way.length),
        );
    });
    lines.end();
    app.stage.invalidate();
  }

  async function run(): Promise<void> {
    running = true;
    while (again) {
      const shown = again;
      again = null;
      await draw(shown).catch((error) => app.report(error));
    }
    running = false;
  }

  return {
    name: "trails",
    label: "Trails",
    key: "T",
    object: lines.object,
    says: "the way of the centres of mass in the last 2 s; of the selected body only, if there is one",
    update(shown: Shown): Label[] {
      again = shown;
      if (!running) void run();
      return [];
    },
  };
}

/** Springs as coils between their points. */
export function springOverlay(app: App): Overlay {
  const lines = new Lines(),
    {model} = app,
    {manifest} = app.recording,
    unit = manifest.focus.radius;
  const TURNS = 8,
    STEPS = 10;

  return {
    name: "springs",
    label: "Springs",
    key: "P",
    object: lines.object,
    says: "as coils, with their length",
    update(): Label[] {
      lines.begin();
      const labels: Label[] = [];
      for (const spring of manifest.springs) {
        const a = model.toScene(spring.a, spring.point_a),
          b = model.toScene(spring.b, spring.point_b);
        const along = sub(b, a),
          length = norm(along),
          axis = normalized(along);
        const u = perpendicular(axis),
          v = cross(axis, u),
          r = Math.min(unit * 0.025, length * 0.12);
        const way: Vec3[] = [a];
        for (let i = 0; i <= TURNS * STEPS; ++i) {
          const f = i / (TURNS * STEPS),
            angle = 2 * Math.PI * TURNS * f;
          way.push(
            add(
              add(a, scale(along, 0.1 + 0.8 * f)),
              add(scale(u, r * Math.cos(angle)), scale(v, r * Math.sin(angle))),
            ),
          );
        }
        way.push(b);
        lines.path(way, SPRING);
        labels.push({
          at: add(a, scale(along, 0.5)),
          text: `${spring.name} ${formatNumber(length)} m`,
          kind: "spring",
        });
      }
      lines.end();
      return labels;
    },
  };
}
