// What overlays are made of: arrows, lines and dots. They are drawn over the bodies, so that nothing hides
// them, and their buffers grow as needed.
import * as THREE from "three";
import {LineMaterial} from "three/examples/jsm/lines/LineMaterial.js";
import {LineSegments2} from "three/examples/jsm/lines/LineSegments2.js";
import {LineSegmentsGeometry} from "three/examples/jsm/lines/LineSegmentsGeometry.js";

import type {Vec3} from "../math/vector";

const ON_TOP = 10;

function markMaterial(): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({
    depthTest: false,
    depthWrite: false,
    transparent: true,
    toneMapped: false,
  });
}

/** Copies of one shape, each with its place and colour. */
class Copies {
  readonly group = new THREE.Group();
  private mesh: THREE.InstancedMesh | null = null;
  private used = 0;

  constructor(private readonly shape: THREE.BufferGeometry) {}

  begin(): void {
    this.used = 0;
  }
  add(matrix: THREE.Matrix4, color: THREE.Color): void {
    if (!this.mesh || this.used >= this.mesh.instanceMatrix.count) this.grow();
    this.mesh!.setMatrixAt(this.used, matrix);
    this.mesh!.setColorAt(this.used, color);
    ++this.used;
  }
  end(): void {
    if (!this.mesh) return;
    this.mesh.count = this.used;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  private grow(): void {
    const old = this.mesh,
      mesh = new THREE.InstancedMesh(this.shape, markMaterial(), Math.max(64, this.used * 2));
    mesh.frustumCulled = false;
    mesh.renderOrder = ON_TOP;
    mesh.setColorAt(0, new THREE.Color());
    if (old) {
      for (let i = 0; i < this.used; ++i) {
        const matrix = new THREE.Matrix4(),
          color = new THREE.Color();
        old.getMatrixAt(i, matrix);
        old.getColorAt(i, color);
        mesh.setMatrixAt(i, matrix);
        mesh.setColorAt(i, color);
      }
      old.removeFromParent();
      old.dispose();
    }
    this.mesh = mesh;
    this.group.add(mesh);
  }
}

const Y = new THREE.Vector3(0, 1, 0);

export class Arrows {
  readonly object = new THREE.Group();
  private readonly shafts = new Copies(new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0));
  private readonly heads = new Copies(new THREE.ConeGeometry(1, 1, 12).translate(0, 0.5, 0));

  /** `thickness`: radius of the shafts, m. */
  constructor(private readonly thickness: number) {
    this.object.add(this.shafts.group, this.heads.group);
  }

  begin(): void {
    this.shafts.begin();
    this.heads.begin();
  }
  add(from: Vec3, direction: Vec3, length: number, color: THREE.Color): void {
    if (!(length > 0)) return;
    const turn = new THREE.Quaternion().setFromUnitVectors(Y, new THREE.Vector3(...direction).normalize());
    const head = Math.min(this.thickness * 6, length * 0.6),
      r = this.thickness;
    const start = new THREE.Vector3(...from),
      matrix = new THREE.Matrix4();
    this.shafts.add(matrix.compose(start, turn, new THREE.Vector3(r, length - head, r)), color);
    const tip = Y.clone()
      .applyQuaternion(turn)
      .multiplyScalar(length - head)
      .add(start);
    this.heads.add(matrix.compose(tip, turn, new THREE.Vector3(head * 0.42, head, head * 0.42)), color);
  }
  end(): void {
    this.shafts.end();
    this.heads.end();
  }
}

export class Dots {
  readonly object: THREE.Object3D;
  private readonly copies = new Copies(new THREE.SphereGeometry(1, 16, 12));

  constructor() {
    this.object = this.copies.group;
  }
  begin(): void {
    this.copies.begin();
  }
  add(at: Vec3, radius: number, color: THREE.Color): void {
    this.copies.add(new THREE.Matrix4().makeScale(radius, radius, radius).setPosition(...at), color);
  }
  end(): void {
    this.copies.end();
  }
}

/** Line segments of a width in pixels. */
export class Lines {
  readonly object: LineSegments2;
  private readonly positions: number[] = [];
  private readonly colors: number[] = [];
  private room = 0; // segments that the buffers hold

  constructor(width = 1.5) {
    const material = new LineMaterial({
      vertexColors: true,
      linewidth: width,
      depthTest: false,
      depthWrite: false,
      transparent: true,
      toneMapped: false,
    });
    this.object = new LineSegments2(new LineSegmentsGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = ON_TOP;
  }

  begin(): void {
    this.positions.length = 0;
    this.colors.length = 0;
  }
  add(from: Vec3, to: Vec3, color: THREE.Color, endColor = color): void {
    this.positions.push(...from, ...to);
    this.colors.push(color.r, color.g, color.b, endColor.r, endColor.g, endColor.b);
  }
  /** A line through points. */
  path(points: Vec3[], color: THREE.Color): void {
    for (let i = 1; i < points.length; ++i) this.add(points[i - 1], points[i], color);
  }
  end(): void {
    const NUMBERS = 6,
      needed = this.positions.length / NUMBERS;
    this.object.visible = needed > 0;
    if (needed > this.room) {
      this.room = Math.max(64, needed * 2);
      this.object.geometry.dispose();
      this.object.geometry = new LineSegmentsGeometry();
      this.object.geometry.setPositions(new Float32Array(this.room * NUMBERS));
      this.object.geometry.setColors(new Float32Array(this.room * NUMBERS));
    }
    if (!needed) return;
    for (const [name, numbers] of [
      ["instanceStart", this.positions],
      ["instanceColorStart", this.colors],
    ] as const) {
      const buffer = (this.object.geometry.getAttribute(name) as THREE.InterleavedBufferAttribute).data;
      (buffer.array as Float32Array).set(numbers);
      buffer.needsUpdate = true;
    }
    this.object.geometry.instanceCount = needed;
  }
}
