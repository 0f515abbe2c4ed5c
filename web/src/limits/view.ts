// The picture of the tool: the allowed set as a solid, the comfort zone in it, the path of the run.
import * as THREE from "three";
import {OrbitControls} from "three/examples/jsm/controls/OrbitControls.js";
import {LineMaterial} from "three/examples/jsm/lines/LineMaterial.js";
import {LineSegments2} from "three/examples/jsm/lines/LineSegments2.js";
import {LineSegmentsGeometry} from "three/examples/jsm/lines/LineSegmentsGeometry.js";

import type {Vec3} from "../math/vector";
import {Labels, type Label} from "../scene/labels";
import {el} from "../ui/dom";
import type {Surface} from "./surface";

const SOLID = 0xb4c6df,
  COMFORT = 0x63d3a6,
  INSIDE = new THREE.Color(0xf2f5f8),
  OUTSIDE = new THREE.Color(0xff5b52);
const CLICK_PIXELS = 4;

export class LimitView {
  readonly element = el("div", {className: "limit-view"});
  private readonly renderer = new THREE.WebGLRenderer({antialias: true});
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(32);
  private readonly controls: OrbitControls;
  private readonly labels = new Labels(this.element);
  private readonly content = new THREE.Group();
  private readonly solid = new THREE.Mesh();
  private readonly comfort = new THREE.Mesh();
  private readonly path = new LineSegments2(
    new LineSegmentsGeometry(),
    new LineMaterial({vertexColors: true, linewidth: 2.2, toneMapped: false}),
  );
  private readonly point = new THREE.Mesh(
    new THREE.SphereGeometry(1, 24, 16),
    new THREE.MeshBasicMaterial({color: 0xffd24a, depthTest: false, transparent: true, toneMapped: false}),
  );
  private axisNames: string[] = [];
  private axisLabels: Label[] = [];
  private axes: THREE.LineSegments | null = null;
  private framed = false;

  /** `clicked`: a point of the solid was clicked. */
  constructor(clicked: (r: Vec3) => void) {
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.scene.background = new THREE.Color(0x15181b);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x50504c, 2.2), this.content);
    const lamp = new THREE.DirectionalLight(0xffffff, 2);
    lamp.position.set(2, 4, 3);
    this.scene.add(lamp);
    // Both sides, the far ones first, so that the inside shows through.
    const glass = (color: number, opacity: number): THREE.Material =>
      new THREE.MeshStandardMaterial({
        color,
        transparent: true,
        opacity,
        depthWrite: false,
        side: THREE.DoubleSide,
        roughness: 0.6,
      });
    this.solid.material = glass(SOLID, 0.42);
    this.comfort.material = glass(COMFORT, 0.22);
    this.solid.renderOrder = 2;
    this.comfort.renderOrder = 1;
    this.path.frustumCulled = false;
    this.point.renderOrder = 5;
    this.content.add(this.comfort, this.solid, this.path, this.point);
    this.element.prepend(this.renderer.domElement);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.listen(clicked);
  }

  /** Shows the set and its comfort zone. */
  setSolids(solid: Surface | null, comfort: Surface | null): void {
    setGeometry(this.solid, solid);
    setGeometry(this.comfort, comfort);
    if (!this.framed) {
      this.buildAxes();
      this.frame();
    }
    this.draw();
  }

  setPath(points: Vec3[], isInside: boolean[]): void {
    const positions: number[] = [],
      colors: number[] = [];
    for (let i = 1; i < points.length; ++i) {
      const [a, b] = [points[i - 1], points[i]];
      // At half a turn the vector leaves on one side and comes in on the other.
      if (Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) > Math.PI) continue;
      positions.push(...a, ...b);
      for (const inside of [isInside[i - 1], isInside[i]]) {
        const color = inside ? INSIDE : OUTSIDE;
        colors.push(color.r, color.g, color.b);
      }
    }
    this.path.geometry.dispose();
    this.path.geometry = new LineSegmentsGeometry();
    this.path.visible = positions.length > 0;
    if (!positions.length) return this.draw();
    this.path.geometry.setPositions(positions);
    this.path.geometry.setColors(colors);
    this.draw();
  }

  setPoint(at: Vec3): void {
    this.point.position.set(...at);
    this.draw();
  }

  /** Names of the axes; an empty one is not drawn. Forgets the camera. */
  setAxes(names: string[]): void {
    this.axisNames = names;
    this.framed = false;
  }

  /** Lines along the axes, a little longer than the solid. */
  private buildAxes(): void {
    const box = new THREE.Box3(),
      LONGER = 1.25;
    if (this.solid.visible) box.setFromObject(this.solid, true);
    const ends = this.axisNames.map(
      (_, i) => (box.isEmpty() ? 1 : Math.max(box.max.getComponent(i), 0.2)) * LONGER,
    );
    const points = ends.flatMap((end, i) =>
      this.axisNames[i] ? [new THREE.Vector3(), new THREE.Vector3().setComponent(i, end)] : [],
    );
    this.axes?.removeFromParent();
    this.axes = new THREE.LineSegments(
      new THREE.BufferGeometry().setFromPoints(points),
      new THREE.LineBasicMaterial({color: 0x7b858f}),
    );
    this.content.add(this.axes);
    this.axisLabels = this.axisNames.flatMap((text, i): Label[] => {
      const at: Vec3 = [0, 0, 0];
      at[i] = ends[i];
      return text ? [{at, text, kind: "axis"}] : [];
    });
  }

  resize(): void {
    const {clientWidth: width, clientHeight: height} = this.element;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    (this.path.material as LineMaterial).resolution.set(width, height);
    this.draw();
  }

  draw(): void {
    const {clientWidth: width, clientHeight: height} = this.element;
    if (!width || !height) return;
    this.point.scale.setScalar(this.camera.position.distanceTo(this.controls.target) * 0.014);
    this.renderer.render(this.scene, this.camera);
    this.labels.update(this.axisLabels, this.content, this.camera, width, height);
  }

  private frame(): void {
    const box = new THREE.Box3();
    for (const mesh of [this.solid, this.axes]) if (mesh?.visible) box.expandByObject(mesh, true);
    const sphere = box.isEmpty()
      ? new THREE.Sphere(new THREE.Vector3(), 1)
      : box.getBoundingSphere(new THREE.Sphere());
    const distance = (sphere.radius / Math.sin(THREE.MathUtils.degToRad(this.camera.fov / 2))) * 1.05;
    this.controls.target.copy(sphere.center);
    this.camera.position
      .copy(sphere.center)
      .addScaledVector(new THREE.Vector3(0.7, 0.5, 1).normalize(), distance);
    this.camera.near = distance / 50;
    this.camera.far = distance * 5;
    this.camera.updateProjectionMatrix();
    this.framed = true;
    this.controls.update();
  }

  private listen(clicked: (r: Vec3) => void): void {
    const canvas = this.renderer.domElement;
    let down: PointerEvent | null = null;
    canvas.addEventListener("pointerdown", (event) => {
      down = event;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!down || Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) >= CLICK_PIXELS)
        return;
      const box = canvas.getBoundingClientRect(),
        ray = new THREE.Raycaster();
      ray.setFromCamera(
        new THREE.Vector2(
          ((event.clientX - box.left) / box.width) * 2 - 1,
          1 - ((event.clientY - box.top) / box.height) * 2,
        ),
        this.camera,
      );
      const hit = ray.intersectObject(this.solid, false)[0];
      if (hit) clicked([hit.point.x, hit.point.y, hit.point.z]);
    });
  }
}

function setGeometry(mesh: THREE.Mesh, surface: Surface | null): void {
  mesh.geometry.dispose();
  mesh.visible = surface !== null && surface.indices.length > 0;
  if (!surface) return;
  mesh.geometry = new THREE.BufferGeometry();
  mesh.geometry.setAttribute("position", new THREE.BufferAttribute(surface.positions, 3));
  mesh.geometry.setAttribute("normal", new THREE.BufferAttribute(surface.normals, 3));
  mesh.geometry.setIndex(new THREE.BufferAttribute(surface.indices, 1));
}
