// Light: a sky that is brighter above, one lamp with soft shadows, a weak one from the other side.
import * as THREE from "three";

const MAP_SIZE = 2048,
  SOFTWARE_MAP_SIZE = 1024; // pixels along a side of the shadow map
const SHADOW_REACH = 1.5; // shadows are drawn this many radii around the motion
const LAMP: [number, number, number] = [0.45, 1, 0.55];

export class Lights {
  private readonly sky = new THREE.HemisphereLight(0xeef2f8, 0x85807a, 1.35);
  private readonly lamp = new THREE.DirectionalLight(0xfff6ea, 1.9);
  private readonly fill = new THREE.DirectionalLight(0xcfdcf0, 0.55);
  private readonly direction = new THREE.Vector3(...LAMP).normalize();
  private readonly center = new THREE.Vector3();
  private radius = 1;

  private readonly mapSize: number;

  constructor(scene: THREE.Scene, isSoftware: boolean) {
    this.mapSize = isSoftware ? SOFTWARE_MAP_SIZE : MAP_SIZE;
    this.lamp.castShadow = true;
    this.lamp.shadow.mapSize.set(this.mapSize, this.mapSize);
    this.lamp.shadow.radius = 3;
    scene.add(this.sky, this.lamp, this.lamp.target, this.fill, this.fill.target);
  }

  /** Lights a sphere; shadows are only drawn in and near it. */
  place(center: THREE.Vector3, radius: number): void {
    this.center.copy(center);
    this.radius = radius;
    const camera = this.lamp.shadow.camera,
      side = radius * SHADOW_REACH;
    camera.left = camera.bottom = -side;
    camera.right = camera.top = side;
    camera.near = radius * 0.1;
    camera.far = radius * 12;
    camera.updateProjectionMatrix();
    this.lamp.shadow.bias = -0.0002;
    this.lamp.shadow.normalBias = ((side * 2) / this.mapSize) * 3;
    this.follow(center);
  }

  /** Keeps the shadows around the point the camera looks at, in steps of a pixel of the shadow map. */
  follow(target: THREE.Vector3): void {
    const near = target.distanceTo(this.center) < this.radius;
    const at = near ? this.center : target;
    this.lamp.target.position.copy(at);
    this.lamp.position.copy(at).addScaledVector(this.direction, this.radius * 6);
    this.fill.target.position.copy(at);
    this.fill.position.copy(at).add(new THREE.Vector3(-this.radius * 4, this.radius * 2, -this.radius * 3));
  }

  set shadows(on: boolean) {
    this.lamp.castShadow = on;
  }
}
