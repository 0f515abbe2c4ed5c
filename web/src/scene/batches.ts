// Equal shapes drawn at once. Thousands of bodies are thousands of calls to the graphics library otherwise. The
// meshes of the bodies stay as they are, for clicks and sizes, but are not drawn by themselves.
import * as THREE from "three";

/** Meshes on this layer are not drawn, but a ray that has the layer hits them. */
export const NOT_DRAWN = 1;

/** Fewer equal shapes than this are drawn one by one. */
const LEAST = 8;

interface Batch {
  meshes: THREE.Mesh[];
  drawn: THREE.InstancedMesh;
}

export class Batches {
  readonly object = new THREE.Group();
  private readonly batches: Batch[] = [];
  private readonly placeOf = new Map<THREE.Mesh, [Batch, number]>();

  constructor(meshes: THREE.Mesh[]) {
    const groups = new Map<string, THREE.Mesh[]>();
    for (const mesh of meshes) {
      const material = mesh.material;
      if (!(material instanceof THREE.MeshLambertMaterial) || material.map) continue;
      const key = `${mesh.geometry.uuid} ${material.side} ${material.vertexColors} ${material.opacity}`;
      groups.set(key, [...(groups.get(key) ?? []), mesh]);
    }
    for (const group of groups.values()) if (group.length >= LEAST) this.add(group);
  }

  /** Moves the drawn shapes to where the meshes are. */
  update(): void {
    for (const {meshes, drawn} of this.batches) {
      meshes.forEach((mesh, i) => {
        if (!this.isAlone(mesh)) drawn.setMatrixAt(i, mesh.matrixWorld);
      });
      drawn.instanceMatrix.needsUpdate = true;
    }
  }

  /** A mesh is drawn by itself, for example because it is selected, or in its batch again. */
  setAlone(mesh: THREE.Mesh, alone: boolean): void {
    const place = this.placeOf.get(mesh);
    if (!place) return;
    mesh.layers.set(alone ? 0 : NOT_DRAWN);
    const [{drawn}, i] = place;
    drawn.setMatrixAt(i, alone ? new THREE.Matrix4().makeScale(0, 0, 0) : mesh.matrixWorld);
    drawn.instanceMatrix.needsUpdate = true;
  }

  set wireframe(on: boolean) {
    for (const {drawn} of this.batches) (drawn.material as THREE.MeshLambertMaterial).wireframe = on;
  }

  private isAlone(mesh: THREE.Mesh): boolean {
    return mesh.layers.isEnabled(0);
  }

  private add(meshes: THREE.Mesh[]): void {
    const material = (meshes[0].material as THREE.MeshLambertMaterial).clone();
    material.color.set(0xffffff);
    const drawn = new THREE.InstancedMesh(meshes[0].geometry, material, meshes.length),
      batch = {meshes, drawn};
    drawn.castShadow = meshes[0].castShadow;
    drawn.receiveShadow = meshes[0].receiveShadow;
    drawn.renderOrder = meshes[0].renderOrder;
    drawn.frustumCulled = false;
    meshes.forEach((mesh, i) => {
      drawn.setColorAt(i, (mesh.material as THREE.MeshLambertMaterial).color);
      mesh.layers.set(NOT_DRAWN);
      this.placeOf.set(mesh, [batch, i]);
    });
    this.batches.push(batch);
    this.object.add(drawn);
  }
}
