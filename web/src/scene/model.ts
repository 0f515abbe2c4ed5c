// The bodies of a recording as three.js objects, read from its scene.glb and moved by its frames.
import * as THREE from "three";
import {GLTFLoader, type GLTF} from "three/examples/jsm/loaders/GLTFLoader.js";

import {STATE_NUMBERS} from "../data/frames";
import type {Recording} from "../data/recording";
import type {Quat, Vec3} from "../math/vector";
import {add, rotate, sub} from "../math/vector";
import {Batches} from "./batches";

export interface Pose {
  position: Vec3; // of the centre of mass, coordinates of the scene
  rotation: Quat;
}

/** The same colour without highlights: it is drawn much faster without a graphics card. */
function matt(from: THREE.MeshStandardMaterial): THREE.MeshLambertMaterial {
  let made = MATT.get(from);
  if (!made) {
    made = new THREE.MeshLambertMaterial({
      color: from.color,
      map: from.map,
      side: from.side,
      vertexColors: from.vertexColors,
      transparent: from.transparent,
      opacity: from.opacity,
    });
    made.shadowSide = from.side === THREE.DoubleSide ? THREE.DoubleSide : THREE.FrontSide;
    MATT.set(from, made);
  }
  return made;
}
const MATT = new WeakMap<THREE.Material, THREE.MeshLambertMaterial>();

export class Model {
  /** Holds everything; turned so that `up` of the scene is +Y. Its inside has the scene's coordinates. */
  readonly root = new THREE.Group();
  /** What is drawn: the root, and shapes that are drawn together. */
  readonly object = new THREE.Group();
  readonly batches: Batches;
  readonly bodies: THREE.Object3D[];

  private readonly hidden = new Set<number>();
  private readonly radii = new Map<number, number>();
  private readonly materials = new Set<THREE.MeshLambertMaterial>();

  private constructor(
    readonly recording: Recording,
    gltf: GLTF,
    ghost: THREE.ColorRepresentation | null,
  ) {
    const byNode = new Map<number, THREE.Object3D>();
    gltf.scene.traverse((object) => {
      const node = gltf.parser.associations.get(object)?.nodes;
      if (node !== undefined && !byNode.has(node)) byNode.set(node, object);
    });
    this.bodies = recording.manifest.bodies.map((body) => {
      const object = byNode.get(body.node);
      if (!object) throw new Error(`scene.glb has no node ${body.node} for the body ${body.name}`);
      return object;
    });
    const up = new THREE.Vector3(...recording.manifest.up).normalize();
    this.root.quaternion.setFromUnitVectors(up, new THREE.Vector3(0, 1, 0));
    // The loaded root turns the bodies, too, so they are taken out of it.
    const others = gltf.scene;
    const upNode = this.bodies[0]?.parent;
    if (upNode && upNode !== others) this.root.quaternion.copy(upNode.quaternion);
    for (const object of this.bodies) this.root.add(object);
    this.bodies.forEach((object, i) =>
      object.traverse((part) => {
        part.userData.body = i;
        if (part instanceof THREE.Mesh) {
          if (part.material instanceof THREE.MeshStandardMaterial) part.material = matt(part.material);
          this.materials.add(part.material);
          part.castShadow = true;
          part.receiveShadow = true;
        }
      }),
    );
    if (ghost !== null) this.makeGhost(ghost);
    const meshes: THREE.Mesh[] = [];
    this.eachMesh((mesh) => mesh.visible && meshes.push(mesh));
    this.batches = new Batches(meshes);
    this.object.add(this.root, this.batches.object);
  }

  /** `ghost`: a colour; the model is see-through then, for a recording that another one is compared with. */
  static async load(recording: Recording, ghost: THREE.ColorRepresentation | null = null): Promise<Model> {
    const data = await recording.readScene();
    const gltf = await new GLTFLoader().parseAsync(data, "");
    return new Model(recording, gltf, ghost);
  }

  /** Moves the bodies to the states of a moment. */
  update(numbers: Float64Array): void {
    const {moving} = this.recording.layout;
    for (const i of moving) {
      const o = i * STATE_NUMBERS;
      this.setPose(i, {
        position: [numbers[o], numbers[o + 1], numbers[o + 2]],
        rotation: [numbers[o + 3], numbers[o + 4], numbers[o + 5], numbers[o + 6]],
      });
    }
    this.placed();
  }

  /** To be called after poses were set. */
  placed(): void {
    this.root.updateMatrixWorld();
    this.batches.update();
  }

  setPose(body: number, {position: x, rotation: q}: Pose): void {
    const object = this.bodies[body];
    const origin = sub(x, rotate(q, this.recording.manifest.bodies[body].center));
    object.position.set(...origin);
    object.quaternion.set(q[1], q[2], q[3], q[0]);
  }

  /** Where the body is shown. */
  poseOf(body: number): Pose {
    const {position: p, quaternion: q} = this.bodies[body];
    const rotation: Quat = [q.w, q.x, q.y, q.z];
    return {
      position: add([p.x, p.y, p.z], rotate(rotation, this.recording.manifest.bodies[body].center)),
      rotation,
    };
  }

  /** A point of a body's own frame, or of the world (-1), in coordinates of the scene. */
  toScene(body: number, point: Vec3): Vec3 {
    if (body < 0) return point;
    const {position: p, quaternion: q} = this.bodies[body];
    return add([p.x, p.y, p.z], rotate([q.w, q.x, q.y, q.z], point));
  }
  rotationOf(body: number): Quat {
    if (body < 0) return [1, 0, 0, 0];
    const q = this.bodies[body].quaternion;
    return [q.w, q.x, q.y, q.z];
  }

  eachMesh(visit: (mesh: THREE.Mesh, body: number) => void, only?: number): void {
    this.bodies.forEach((object, i) => {
      if (only !== undefined && only !== i) return;
      object.traverse((part) => {
        if (part instanceof THREE.Mesh && part.userData.body === i && !part.userData.extra) visit(part, i);
      });
    });
  }

  /** Whether a body is drawn. */
  setShown(body: number, on: boolean): void {
    if (on !== this.hidden.has(body)) return;
    if (on) this.hidden.delete(body);
    else this.hidden.add(body);
    this.eachMesh((mesh) => {
      this.batches.setAlone(mesh, !on);
      mesh.visible = on;
    }, body);
  }

  /** Of a sphere around the body's centre of mass, m. */
  radiusOf(body: number): number {
    let radius = this.radii.get(body);
    if (radius === undefined) {
      const box = new THREE.Box3().setFromObject(this.bodies[body]);
      radius = box.isEmpty() ? 0 : box.getSize(new THREE.Vector3()).length() / 2;
      this.radii.set(body, radius);
    }
    return radius;
  }

  setWireframe(on: boolean, stage: {invalidate(): void}): void {
    // The selected body has a material of its own.
    this.eachMesh((mesh) => this.materials.add(mesh.material as THREE.MeshLambertMaterial));
    for (const material of this.materials) material.wireframe = on;
    this.batches.wireframe = on;
    stage.invalidate();
  }

  private makeGhost(color: THREE.ColorRepresentation): void {
    const material = new THREE.MeshLambertMaterial({
      color,
      emissive: color,
      emissiveIntensity: 0.35,
      transparent: true,
      opacity: 0.42,
      depthWrite: false,
      // Where both runs have the same surface, that of this one is in front.
      polygonOffset: true,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 4,
    });
    this.eachMesh((mesh, body) => {
      mesh.material = material;
      mesh.castShadow = mesh.receiveShadow = false;
      mesh.renderOrder = 1;
      if (this.recording.manifest.bodies[body].fixed) mesh.visible = false;
    });
  }
}
