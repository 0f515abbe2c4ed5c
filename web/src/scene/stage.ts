// The drawing area: renderer, cameras, light. It draws when something changed, not all the time.
import * as THREE from "three";
import {OrbitControls} from "three/examples/jsm/controls/OrbitControls.js";

import type {Manifest} from "../data/manifest";
import {NOT_DRAWN} from "./batches";
import {fit, type Extent} from "./fit";
import {Lights} from "./lights";

const HALF_FIELD = THREE.MathUtils.degToRad(17.5); // of the shorter side of the picture
const FILL = 0.9; // of half the width and height that the motion may fill
/** Behind films; in the page the canvas is transparent over the gradient of the style sheet. */
const BACKDROP = 0x24282d;

export type ViewName = "default" | "front" | "side" | "top";
const DIRECTIONS: Record<ViewName, [number, number, number]> = {
  default: [0.62, 0.36, 0.9],
  front: [0, 0, 1],
  side: [1, 0, 0],
  top: [0, 1, 0],
};

/** How finely a picture is drawn: pixels of the canvas per pixel of the page. */
interface Quality {
  moving: number;
  still: number;
}

/** The page stands still this long before the fine picture is drawn, ms. */
const QUIET = 120;

/**
 * Without a graphics card the processor draws. Then pictures that follow each other fast are drawn without
 * smooth edges, and one that stays is drawn at twice the size, which smooths them.
 */
function findQuality(isSoftware: boolean): Quality {
  if (isSoftware) return {moving: 1, still: 2};
  const ratio = Math.min(window.devicePixelRatio, 2);
  return {moving: ratio, still: ratio};
}

/** Pictures that take longer than SLOW while the run plays are drawn with fewer pixels, down to LEAST. */
const SLOW = 45; // ms
const FAST = 18; // ms
const LEAST = 0.5;
const STEP = 0.8;

/** There is no graphics card. */
function drawsWithProcessor(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Stage {
  readonly scene = new THREE.Scene();
  readonly canvas: HTMLCanvasElement;
  readonly controls: OrbitControls;
  readonly lights: Lights;
  camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly perspective = new THREE.PerspectiveCamera();
  private readonly orthographic = new THREE.OrthographicCamera();
  private readonly center = new THREE.Vector3();
  private radius = 1;
  private motion: Extent[] = [];
  /** The whole motion is in the picture, seen from there; null: the user moved the camera. */
  private fitted: ViewName | null = null;
  private orthographicHalf = 1; // m, half of the shorter side
  private reach = 10;
  private readonly quality: Quality;
  private film: {width: number; height: number} | null = null;
  private dirty = true;
  /** Called before each drawing, when the camera is where it will be. */
  beforeDrawing: (() => void) | null = null;
  private changed = 0; // when, by the clock of the browser, ms
  private drawnFine = false;
  private interval = (SLOW + FAST) / 2; // between pictures, a running mean, ms
  /** Called after each drawing, with the size of the area in CSS pixels. */
  drawn: ((width: number, height: number) => void) | null = null;

  constructor(private readonly parent: HTMLElement) {
    const isSoftware = drawsWithProcessor();
    this.quality = findQuality(isSoftware);
    this.renderer = new THREE.WebGLRenderer({antialias: !isSoftware, alpha: true});
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("aria-label", "view of the scene");
    parent.append(this.canvas);
    this.camera = this.perspective;
    this.lights = new Lights(this.scene, isSoftware);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    let byHand = false;
    this.controls.addEventListener("start", () => {
      byHand = true;
    });
    this.controls.addEventListener("end", () => {
      byHand = false;
    });
    this.controls.addEventListener("change", () => {
      if (byHand) this.fitted = null;
      this.invalidate();
    });
    new ResizeObserver(() => this.resize()).observe(parent);
  }

  /** Sets the camera so that the whole motion is in the picture. */
  frame(manifest: Manifest, root: THREE.Object3D): void {
    root.updateMatrixWorld();
    this.center.set(...manifest.focus.center).applyMatrix4(root.matrixWorld);
    this.radius = manifest.focus.radius > 0 ? manifest.focus.radius : 1;
    const {boxes, center, radius} = manifest.focus,
      turn = new THREE.Matrix3().setFromMatrix4(root.matrixWorld);
    const around = center.map((x) => [x - radius, x + radius]);
    const corners = boxes?.length ? boxes : [[around.map(([lo]) => lo), around.map(([, hi]) => hi)]];
    this.motion = corners.map(([lo, hi]) => ({
      center: new THREE.Vector3(...lo.map((x, i) => (x + hi[i]) / 2)).applyMatrix4(root.matrixWorld),
      half: new THREE.Vector3(...lo.map((x, i) => (hi[i] - x) / 2)),
      turn,
      radius: boxes?.length ? Infinity : radius,
    }));
    const box = new THREE.Box3().setFromObject(root);
    this.reach = box.isEmpty() ? this.radius : box.getBoundingSphere(new THREE.Sphere()).radius;
    this.lights.place(this.center, this.radius);
    this.resize();
    this.look("default");
  }

  /** Looks at the whole motion from a direction, and keeps it in the picture until the user moves the camera. */
  look(view: ViewName): void {
    if (!this.motion.length || this.width === 0 || this.height === 0) return;
    const shorter = Math.min(this.width, this.height),
      tangent = Math.tan(HALF_FIELD) / shorter,
      from = new THREE.Vector3(...DIRECTIONS[view]).normalize();
    const {target, distance, half} = fit(this.motion, from, {
      x: FILL * tangent * this.width,
      y: FILL * tangent * this.height,
    });
    const away = Math.max(distance, this.radius * 1e-3);
    this.place(target, from, away);
    const needed = (Math.max(half.x / this.width, half.y / this.height) * shorter) / FILL;
    if (this.isOrthographic) this.fitOrthographic(Math.max(away, needed / Math.tan(HALF_FIELD)));
    this.fitted = view;
  }

  /** Looks at a sphere, from the present direction. */
  lookAt(center: THREE.Vector3, radius: number): void {
    const from = this.camera.position.clone().sub(this.controls.target).normalize();
    this.place(center, from, (radius * FILL) / Math.sin(HALF_FIELD));
    this.fitted = null;
  }

  private place(target: THREE.Vector3, from: THREE.Vector3, distance: number): void {
    this.controls.target.copy(target);
    this.perspective.position.copy(target).addScaledVector(from, distance);
    this.orthographic.position.copy(this.perspective.position);
    this.orthographic.zoom = 1;
    this.fitOrthographic(distance);
    this.controls.update();
    this.invalidate();
  }

  get isOrthographic(): boolean {
    return this.camera === this.orthographic;
  }
  set isOrthographic(on: boolean) {
    if (on === this.isOrthographic) return;
    const {target} = this.controls;
    if (on) {
      this.orthographic.position.copy(this.perspective.position);
      this.orthographic.zoom = 1;
      this.fitOrthographic(this.perspective.position.distanceTo(target));
    } else {
      const away = this.orthographic.position.clone().sub(target).normalize();
      const distance = this.orthographicHalf / this.orthographic.zoom / Math.tan(HALF_FIELD);
      this.perspective.position.copy(target).addScaledVector(away, distance);
    }
    this.camera = on ? this.orthographic : this.perspective;
    this.controls.object = this.camera;
    this.controls.update();
    this.invalidate();
  }

  /** Moves camera and target by a vector, to follow a body. */
  shift(by: THREE.Vector3): void {
    if (by.lengthSq() > 0) this.fitted = null;
    this.controls.target.add(by);
    this.camera.position.add(by);
    this.controls.update();
  }

  set shadows(on: boolean) {
    this.lights.shadows = on;
    this.invalidate();
  }

  /** A picture is needed. */
  invalidate(): void {
    this.dirty = true;
  }

  /** Draws if something changed, and a finer picture when nothing changes any more. */
  draw(): void {
    if (this.film) return;
    const now = performance.now();
    if (this.dirty) {
      this.adapt(now - this.changed);
      this.changed = now;
    } else if (this.drawnFine || now - this.changed < QUIET) return;
    this.render(!this.dirty || this.quality.moving === this.quality.still);
  }

  /** Fewer pixels if `interval`, the time between two pictures, is long for several of them. */
  private adapt(interval: number): void {
    if (interval > QUIET * 4) return; // a pause, no slow picture
    const WEIGHT = 0.15;
    this.interval += WEIGHT * (interval - this.interval);
    const {still} = this.quality,
      best = Math.min(1, still);
    if (this.interval > SLOW && this.quality.moving > LEAST) {
      this.quality.moving = Math.max(LEAST, this.quality.moving * STEP);
      this.interval = (SLOW + FAST) / 2;
    } else if (this.interval < FAST && this.quality.moving < best) {
      this.quality.moving = Math.min(best, this.quality.moving / STEP);
      this.interval = (SLOW + FAST) / 2;
    }
  }

  /** Until `endFilm`, pictures have this size, a background of their own, and are drawn by `drawFine` only. */
  beginFilm(width: number, height: number): void {
    this.film = {width, height};
    this.scene.background = new THREE.Color(BACKDROP);
    this.resize();
  }
  endFilm(): void {
    this.film = null;
    this.scene.background = null;
    this.resize();
  }

  /** Draws the fine picture now. */
  drawFine(): void {
    if (this.dirty || !this.drawnFine) this.render(true);
  }

  /** Draws as while the run plays, and waits until the picture is complete. Returns the time it took, ms. */
  measure(): number {
    const begin = performance.now();
    this.render(false);
    const gl = this.renderer.getContext(),
      pixel = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return performance.now() - begin;
  }

  private render(fine: boolean): void {
    if (this.width === 0 || this.height === 0) return;
    this.dirty = false;
    this.drawnFine = fine;
    const ratio = this.film ? Math.ceil(this.quality.still) : fine ? this.quality.still : this.quality.moving;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    this.setDepth();
    this.lights.follow(this.controls.target);
    this.beforeDrawing?.();
    this.renderer.render(this.scene, this.camera);
    if (!this.film) this.drawn?.(this.width, this.height);
  }

  get width(): number {
    return this.film?.width ?? this.parent.clientWidth;
  }
  get height(): number {
    return this.film?.height ?? this.parent.clientHeight;
  }

  /** A ray through a pixel of the page. */
  rayAt(clientX: number, clientY: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const pointer = new THREE.Vector2(
      ((clientX - box.left) / box.width) * 2 - 1,
      1 - ((clientY - box.top) / box.height) * 2,
    );
    const ray = new THREE.Raycaster();
    this.camera.updateMatrixWorld(); // it may have moved since the last picture
    ray.layers.enable(NOT_DRAWN);
    ray.setFromCamera(pointer, this.camera);
    return ray;
  }

  /** Size in metres of a length of one pixel at a point. */
  metresPerPixel(point: THREE.Vector3): number {
    const side = Math.min(this.width, this.height);
    if (this.isOrthographic) return (2 * this.orthographicHalf) / this.orthographic.zoom / side;
    return (2 * this.camera.position.distanceTo(point) * Math.tan(HALF_FIELD)) / side;
  }

  private resize(): void {
    const {width, height} = this;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, !this.film);
    this.perspective.aspect = width / height;
    const vertical = Math.atan(Math.tan(HALF_FIELD) * Math.max(1, height / width));
    this.perspective.fov = THREE.MathUtils.radToDeg(2 * vertical);
    this.perspective.updateProjectionMatrix();
    this.fitOrthographic(null);
    if (this.fitted) this.look(this.fitted);
    this.invalidate();
    this.draw();
  }

  /** Gives the orthographic camera the width that the perspective one sees at a distance. */
  private fitOrthographic(distance: number | null): void {
    const o = this.orthographic,
      shorter = Math.min(this.width, this.height);
    if (distance !== null) this.orthographicHalf = distance * Math.tan(HALF_FIELD);
    o.top = (this.orthographicHalf * this.height) / shorter;
    o.right = (this.orthographicHalf * this.width) / shorter;
    o.bottom = -o.top;
    o.left = -o.right;
    o.updateProjectionMatrix();
  }

  /** Near and far planes around what there is. */
  private setDepth(): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    // A floor may be a million times as large as what moves on it.
    const FARTHEST = 1000; // in radii of the motion and distances of the camera
    const reach = Math.min(this.reach, FARTHEST * Math.max(this.radius, distance)),
      far = distance + 4 * Math.max(reach, this.radius);
    const NEAR_PART = 1 / 200; // leaves 24 bits of depth enough steps
    this.perspective.near = Math.max(distance * NEAR_PART, far * 1e-5);
    this.perspective.far = far;
    this.orthographic.near = -far;
    this.orthographic.far = far;
    this.camera.updateProjectionMatrix();
  }
}
