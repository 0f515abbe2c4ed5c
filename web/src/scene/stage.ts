// The drawing area: renderer, cameras, light. It draws when something changed, not all the time.
import * as THREE from "three";
import {OrbitControls} from "three/examples/jsm/controls/OrbitControls.js";

import type {Manifest} from "../data/manifest";
import {Lights} from "./lights";

const HALF_FIELD = THREE.MathUtils.degToRad(17.5); // of the shorter side of the picture
const FILL = 0.9; // a motion seldom fills its sphere
const BACKDROP = ["#33383f", "#1a1d21"]; // above, below

export type ViewName = "default" | "front" | "side" | "top";
const DIRECTIONS: Record<ViewName, [number, number, number]> = {
  default: [0.62, 0.36, 0.9],
  front: [0, 0, 1],
  side: [1, 0, 0],
  top: [0, 1, 0],
};

/** A calm gradient behind everything. */
function backdrop(): THREE.Texture {
  const canvas = document.createElement("canvas"),
    HEIGHT = 256;
  canvas.width = 2;
  canvas.height = HEIGHT;
  const context = canvas.getContext("2d")!,
    gradient = context.createLinearGradient(0, 0, 0, HEIGHT);
  gradient.addColorStop(0, BACKDROP[0]);
  gradient.addColorStop(1, BACKDROP[1]);
  context.fillStyle = gradient;
  context.fillRect(0, 0, 2, HEIGHT);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

/** There is no graphics card: the processor draws. */
function isSoftware(renderer: THREE.WebGLRenderer): boolean {
  const gl = renderer.getContext(),
    info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
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
  private orthographicHalf = 1; // m, half of the shorter side
  private reach = 10;
  private dirty = true;
  /** Called after each drawing, with the size of the area in CSS pixels. */
  drawn: ((width: number, height: number) => void) | null = null;

  constructor(private readonly parent: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({antialias: true, preserveDrawingBuffer: true});
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene.background = backdrop();
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("aria-label", "view of the scene");
    parent.append(this.canvas);
    this.camera = this.perspective;
    this.lights = new Lights(this.scene, isSoftware(this.renderer));
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(parent);
  }

  /** Sets the camera so that the whole motion is in the picture. */
  frame(manifest: Manifest, root: THREE.Object3D): void {
    root.updateMatrixWorld();
    this.center.set(...manifest.focus.center).applyMatrix4(root.matrixWorld);
    this.radius = manifest.focus.radius > 0 ? manifest.focus.radius : 1;
    const box = new THREE.Box3().setFromObject(root);
    this.reach = box.isEmpty() ? this.radius : box.getBoundingSphere(new THREE.Sphere()).radius;
    this.lights.place(this.center, this.radius);
    this.resize();
    this.look("default");
  }

  /** Looks at the whole motion from a direction. */
  look(view: ViewName): void {
    this.lookAt(this.center, this.radius, DIRECTIONS[view]);
  }

  /** Looks at a sphere, from the present direction if none is given. */
  lookAt(center: THREE.Vector3, radius: number, direction?: [number, number, number]): void {
    const from = direction
      ? new THREE.Vector3(...direction)
      : this.camera.position.clone().sub(this.controls.target);
    const distance = (radius * FILL) / Math.sin(HALF_FIELD);
    this.controls.target.copy(center);
    this.perspective.position.copy(center).addScaledVector(from.normalize(), distance);
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

  /** Draws if something changed. */
  draw(): boolean {
    if (!this.dirty || this.width === 0 || this.height === 0) return false;
    this.dirty = false;
    this.setDepth();
    this.lights.follow(this.controls.target);
    this.renderer.render(this.scene, this.camera);
    this.drawn?.(this.width, this.height);
    return true;
  }

  /** Waits until the last picture is complete, to measure its time. */
  finish(): void {
    const gl = this.renderer.getContext(),
      pixel = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  }

  get width(): number {
    return this.parent.clientWidth;
  }
  get height(): number {
    return this.parent.clientHeight;
  }

  /** A ray through a pixel of the page. */
  rayAt(clientX: number, clientY: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const pointer = new THREE.Vector2(
      ((clientX - box.left) / box.width) * 2 - 1,
      1 - ((clientY - box.top) / box.height) * 2,
    );
    const ray = new THREE.Raycaster();
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
    this.renderer.setSize(width, height);
    this.perspective.aspect = width / height;
    const vertical = Math.atan(Math.tan(HALF_FIELD) * Math.max(1, height / width));
    this.perspective.fov = THREE.MathUtils.radToDeg(2 * vertical);
    this.perspective.updateProjectionMatrix();
    this.fitOrthographic(null);
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
    const far = distance + 4 * Math.max(this.reach, this.radius);
    const NEAR_PART = 1 / 200; // leaves 24 bits of depth enough steps
    this.perspective.near = Math.max(distance * NEAR_PART, far * 1e-5);
    this.perspective.far = far;
    this.orthographic.near = -far;
    this.orthographic.far = far;
    this.camera.updateProjectionMatrix();
  }
}
