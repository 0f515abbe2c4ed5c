// Text at points of the scene, as elements over the picture.
import * as THREE from "three";

import type {Vec3} from "../math/vector";
import {el} from "../ui/dom";

export interface Label {
  at: Vec3; // coordinates of the scene
  text: string;
  kind: string; // a class of the style sheet
}

const MOST = 120;

export class Labels {
  private readonly layer = el("div", {className: "labels"});
  private readonly pool: HTMLElement[] = [];

  constructor(parent: HTMLElement) {
    parent.append(this.layer);
  }

  /** Shows labels; those that would cover an earlier one are left out. */
  update(labels: Label[], root: THREE.Object3D, camera: THREE.Camera, width: number, height: number): void {
    const point = new THREE.Vector3(),
      taken: [number, number, number][] = [];
    let used = 0;
    for (const label of labels) {
      if (used >= MOST) break;
      point
        .set(...label.at)
        .applyMatrix4(root.matrixWorld)
        .project(camera);
      if (Math.abs(point.z) > 1 || Math.abs(point.x) > 1.05 || Math.abs(point.y) > 1.05) continue;
      const x = ((point.x + 1) / 2) * width,
        y = ((1 - point.y) / 2) * height,
        half = label.text.length * 3.6;
      if (taken.some(([u, v, w]) => Math.abs(u - x) < w + half && Math.abs(v - y) < 14)) continue;
      taken.push([x, y, half]);
      const element = this.pool[used] ?? this.grow();
      ++used;
      if (element.textContent !== label.text) element.textContent = label.text;
      element.className = `label ${label.kind}`;
      element.style.transform = `translate(-50%, -140%) translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      element.hidden = false;
    }
    for (let i = used; i < this.pool.length; ++i) this.pool[i].hidden = true;
  }

  private grow(): HTMLElement {
    const element = el("div", {className: "label"});
    this.layer.append(element);
    this.pool.push(element);
    return element;
  }
}
