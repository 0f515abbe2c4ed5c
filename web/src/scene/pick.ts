// Bodies under the pointer, and the look of the selected one.
import * as THREE from "three";

import type {App} from "../app";

const CLICK_PIXELS = 4; // the pointer moves less between down and up
const HIGHLIGHT = new THREE.Color(0x4f9dff),
  HIGHLIGHT_PART = 0.75;

export class Picker {
  private readonly original = new Map<THREE.Mesh, THREE.Material | THREE.Material[]>();

  constructor(private readonly app: App) {
    const {canvas} = app.stage;
    let down: PointerEvent | null = null;
    canvas.addEventListener("pointerdown", (event) => {
      down = event;
    });
    canvas.addEventListener("pointerup", (event) => {
      const still =
        down && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < CLICK_PIXELS;
      if (!still || event.button !== 0) return;
      const body = this.bodyAt(event.clientX, event.clientY);
      app.select(body === null ? null : {kind: "body", index: body});
    });
    canvas.addEventListener("dblclick", (event) => {
      const body = this.bodyAt(event.clientX, event.clientY);
      if (body !== null) this.focus(body);
    });
    app.selection.watch(() => this.highlight());
  }

  bodyAt(clientX: number, clientY: number): number | null {
    const {app} = this,
      meshes: THREE.Mesh[] = [];
    app.model.eachMesh((mesh) => meshes.push(mesh));
    const hit = app.stage.rayAt(clientX, clientY).intersectObjects(meshes, false)[0];
    return hit ? (hit.object.userData.body as number) : null;
  }

  /** Moves the camera so that the body fills a good part of the picture. */
  focus(body: number): void {
    const {app} = this,
      box = new THREE.Box3();
    app.model.eachMesh((mesh) => box.expandByObject(mesh), body);
    if (box.isEmpty()) return;
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    app.stage.lookAt(sphere.center, sphere.radius * 2.5);
  }

  private highlight(): void {
    for (const [mesh, material] of this.original) {
      mesh.material = material;
      this.app.model.batches.setAlone(mesh, false);
    }
    this.original.clear();
    const {app} = this,
      selection = app.selection.value;
    if (!selection) return;
    const {joints} = app.recording.manifest;
    const bodies =
      selection.kind === "body"
        ? [selection.index]
        : [joints[selection.index].a, joints[selection.index].b].filter((i) => i >= 0);
    for (const body of bodies)
      app.model.eachMesh((mesh) => {
        this.original.set(mesh, mesh.material);
        const copy = (Array.isArray(mesh.material) ? mesh.material[0] : mesh.material).clone();
        if (copy instanceof THREE.MeshLambertMaterial) {
          copy.color.lerp(HIGHLIGHT, HIGHLIGHT_PART);
          copy.emissive.copy(HIGHLIGHT).multiplyScalar(0.12);
        }
        mesh.material = copy;
        app.model.batches.setAlone(mesh, true);
      }, body);
    app.stage.invalidate();
  }
}
