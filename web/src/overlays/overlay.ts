// An overlay draws something about the bodies over the picture. Each is a switch.
import type * as THREE from "three";

import type {App, Shown} from "../app";
import type {Needs} from "../data/recording";
import type {Label} from "../scene/labels";
import {Signal} from "../ui/signal";

export interface Overlay {
  readonly name: string;
  readonly label: string; // on its switch
  readonly says: string; // what it draws
  readonly key: string;
  readonly object: THREE.Object3D; // coordinates of the scene
  readonly needs?: Partial<Needs>;
  /** Called when it is switched on and for each picture while it is on. Returns its text. */
  update(shown: Shown): Label[];
  /** Called when it is switched off. */
  clear?(): void;
}

/** All overlays of the page and which of them are on. */
export class Overlays {
  readonly switches = new Map<string, Signal<boolean>>();
  labels: Label[] = [];

  constructor(
    app: App,
    readonly list: Overlay[],
  ) {
    for (const overlay of list) {
      const on = new Signal(false);
      this.switches.set(overlay.name, on);
      overlay.object.visible = false;
      app.model.root.add(overlay.object);
      on.watch((value) => {
        overlay.object.visible = value;
        if (!value) overlay.clear?.();
        if (!app.current) return;
        app.refresh().catch((error) => app.report(error));
      });
    }
    app.addNeeds(() => ({
      contacts: list.some((overlay) => overlay.needs?.contacts && this.isOn(overlay.name)),
      reactions: list.some((overlay) => overlay.needs?.reactions && this.isOn(overlay.name)),
    }));
    app.onShown((shown) => {
      this.labels = [];
      for (const overlay of list) if (this.isOn(overlay.name)) this.labels.push(...overlay.update(shown));
    });
  }

  isOn(name: string): boolean {
    return this.switches.get(name)?.value ?? false;
  }
  set(name: string, on: boolean): void {
    const signal = this.switches.get(name);
    if (!signal)
      throw new Error(`there is no overlay ${name}; there are ${[...this.switches.keys()].join(", ")}`);
    signal.value = on;
  }
  toggle(name: string): void {
    this.set(name, !this.isOn(name));
  }
}
