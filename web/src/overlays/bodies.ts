// Overlays about single bodies: shapes, centres of mass, principal axes, velocities, names.
import * as THREE from "three";

import type {App, Shown} from "../app";
import {STATE_NUMBERS} from "../data/frames";
import type {Vec3} from "../math/vector";
import {multiply, norm, rotate} from "../math/vector";
import type {Label} from "../scene/labels";
import {formatNumber} from "../ui/format";
import {AXES, CENTER, VELOCITY} from "./colors";
import {Arrows, Dots, Lines} from "./marks";
import type {Overlay} from "./overlay";

/** Edges of the shapes that collide, on see-through bodies. */
export function shapeOverlay(app: App): Overlay {
  const marker = new THREE.Group(),
    FLAT_ANGLE = 12; // degrees between faces without an edge
  const edges: THREE.LineSegments[] = [];
  const material = new THREE.LineBasicMaterial({
    color: 0x9fc6ff,
    transparent: true,
    opacity: 0.55,
    toneMapped: false,
  });
  const shared = new Map<THREE.BufferGeometry, THREE.BufferGeometry>();
  return {
    name: "shapes",
    label: "Collision shapes",
    key: "X",
    object: marker,
    says: "the edges of the shapes that collide",
    update(): Label[] {
      if (edges.length) return [];
      app.model.eachMesh((mesh) => {
        let lines = shared.get(mesh.geometry);
        if (!lines) shared.set(mesh.geometry, (lines = new THREE.EdgesGeometry(mesh.geometry, FLAT_ANGLE)));
        const drawn = new THREE.LineSegments(lines, material);
        drawn.userData.extra = true;
        mesh.add(drawn);
        edges.push(drawn);
      });
      return [];
    },
    clear(): void {
      for (const drawn of edges.splice(0)) drawn.removeFromParent();
      app.stage.invalidate();
    },
  };
}

export function centerOverlay(app: App): Overlay {
  const dots = new Dots(),
    {manifest, layout} = app.recording,
    unit = manifest.focus.radius;
  return {
    name: "centres",
    label: "Centres of mass",
    key: "M",
    object: dots.object,
    says: "of every body that moves",
    update(): Label[] {
      dots.begin();
      for (const i of layout.moving) dots.add(app.model.poseOf(i).position, unit * 0.011, CENTER);
      dots.end();
      return [];
    },
  };
}

/** Principal axes, as long as the radii of gyration. */
export function axesOverlay(app: App): Overlay {
  const lines = new Lines(),
    {manifest, layout} = app.recording;
  return {
    name: "axes",
    label: "Principal axes",
    key: "A",
    object: lines.object,
    says: "of inertia: red the smallest, blue the largest moment, as long as the radius of gyration",
    update(): Label[] {
      lines.begin();
      for (const i of layout.moving) {
        const {principal, mass} = manifest.bodies[i];
        if (!principal || !mass) continue;
        const {position: x, rotation} = app.model.poseOf(i),
          turn = multiply(rotation, principal.quaternion);
        const order = [0, 1, 2].sort((a, b) => principal.moments[a] - principal.moments[b]);
        order.forEach((axis, rank) => {
          const unit: Vec3 = [0, 0, 0];
          unit[axis] = Math.sqrt(Math.max(principal.moments[axis], 0) / mass) * 1.5;
          const d = rotate(turn, unit);
          lines.add(
            [x[0] - d[0], x[1] - d[1], x[2] - d[2]],
            [x[0] + d[0], x[1] + d[1], x[2] + d[2]],
            AXES[rank],
          );
        });
      }
      lines.end();
      return [];
    },
  };
}

export function velocityOverlay(app: App): Overlay {
  const {manifest, layout} = app.recording,
    unit = manifest.focus.radius,
    arrows = new Arrows(unit * 0.005);
  const SECONDS = 0.1; // an arrow is the way of this time
  return {
    name: "velocities",
    label: "Velocities",
    key: "V",
    object: arrows.object,
    says: "of the centres of mass; an arrow is the way of 0.1 s",
    update({moment}: Shown): Label[] {
      arrows.begin();
      const labels: Label[] = [];
      for (const i of layout.moving) {
        const o = i * STATE_NUMBERS,
          n = moment.numbers,
          v: Vec3 = [n[o + 7], n[o + 8], n[o + 9]],
          speed = norm(v);
        if (speed * SECONDS < unit * 1e-3) continue;
        const at = app.model.poseOf(i).position;
        arrows.add(at, v, Math.min(speed * SECONDS, unit), VELOCITY);
        if (layout.moving.length <= 20 || app.selection.value?.index === i)
          labels.push({
            at: [at[0] + v[0] * SECONDS, at[1] + v[1] * SECONDS, at[2] + v[2] * SECONDS],
            text: `${formatNumber(speed)} m/s`,
            kind: "velocity",
          });
      }
      arrows.end();
      return labels;
    },
  };
}

export function nameOverlay(app: App): Overlay {
  const {manifest} = app.recording;
  return {
    name: "names",
    label: "Names",
    key: "N",
    object: new THREE.Group(),
    says: "of the bodies",
    update(): Label[] {
      return manifest.bodies
        .map((body, i) => ({at: app.model.poseOf(i).position, text: body.name, kind: "name"}))
        .filter((_, i) => !manifest.bodies[i].fixed);
    },
  };
}
