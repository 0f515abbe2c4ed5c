// window.tumble: the page for scripts and tests.
import type {Contact} from "./data/contacts";
import type {Limits} from "./data/manifest";
import type {Page} from "./page";
import type {Quat, Vec3} from "./math/vector";

export interface NamedContact extends Omit<Contact, "a" | "b"> {
  a: string;
  b: string;
}

export interface TumbleApi {
  /** Resolves when the first picture is shown; rejects if the recording cannot be. */
  ready: Promise<void>;
  /** Shows time t (s). Resolves when it is shown. */
  seek(t: number): Promise<void>;
  play(): void;
  pause(): void;
  time(): number;
  /** The pose of a body as shown: centre of mass and quaternion w x y z, coordinates of the scene. */
  poseOf(name: string, recording?: 0 | 1): {position: Vec3; quaternion: Quat};
  /** The contacts of the time shown; null if neither the overlay nor the list is on. */
  contacts(): NamedContact[] | null;
  /** Plots a quantity by name. */
  plot(name: string): Promise<void>;
  /** The values of a plotted quantity; null if it is not plotted. */
  plotted(name: string): {t: number[]; y: number[]; unit: string} | null;
  /** All diagrams as SVG text. */
  plotsAsSvg(): string;
  overlay(name: string, on: boolean): Promise<void>;
  overlays(): string[];
  /** Selects a body or joint; null: nothing. */
  select(name: string | null): void;
  /** The joint-limit tool. */
  limits: {
    open(joint: string): Promise<void>;
    close(): void;
    get(): {limits: Limits; comfort: Limits};
    set(limits: Limits): void;
    /** Poses the limb by a rotation vector in joint axes; null: as the run has it. */
    pose(r: Vec3 | null): void;
    current(): Vec3;
    path(): Vec3[];
    outside(): number;
    triangles(): number;
    xml(): string;
  };
  /** The picture as it is now, without names and numbers: a data URL of a PNG file. */
  picture(): string;
  /** Milliseconds of the last `count` pictures, drawn now one after the other. */
  measure(count: number): number[];
}

declare global {
  interface Window {
    tumble: TumbleApi;
  }
}

export function buildApi(building: Promise<Page>): TumbleApi {
  let built: Page | null = null;
  const ready = building.then((page) => {
    built = page;
  });
  ready.catch(() => undefined);
  const page = (): Page => {
    if (!built) throw new Error("the page is not ready; wait for tumble.ready");
    return built;
  };
  return {
    ready,
    async seek(t) {
      page().app.clock.pause();
      await page().app.seek(t);
      page().app.stage.drawFine();
    },
    play: () => page().app.clock.play(),
    pause: () => page().app.clock.pause(),
    time: () => page().app.clock.time.value,
    poseOf(name, which = 0) {
      const {app} = page(),
        shown = which === 0 ? app : app.ghost;
      if (!shown) throw new Error("there is no recording 1");
      const body = shown.recording.bodyIndex(name);
      if (body < 0) throw new Error(`there is no body ${name}`);
      const {position, rotation} = shown.model.poseOf(body);
      return {position, quaternion: rotation};
    },
    contacts() {
      const {app} = page(),
        found = app.current?.moment.contacts;
      return (
        found?.map((contact) => ({...contact, a: app.nameOf(contact.a), b: app.nameOf(contact.b)})) ?? null
      );
    },
    plot: (name) => page().plots.add(name),
    plotted(name) {
      const series = page().plots.values(name);
      return series && {t: [...series.t], y: [...series.y], unit: series.unit};
    },
    plotsAsSvg: () => page().plots.toSvg(),
    async overlay(name, on) {
      page().overlays.set(name, on);
      await page().app.refresh();
      page().app.stage.drawFine();
    },
    overlays: () => [...page().overlays.switches.keys()],
    select(name) {
      const {app} = page();
      if (name === null) return app.select(null);
      const body = app.recording.bodyIndex(name),
        joint = app.recording.jointIndex(name);
      if (body < 0 && joint < 0) throw new Error(`there is no body or joint ${name}`);
      app.select(body >= 0 ? {kind: "body", index: body} : {kind: "joint", index: joint});
    },
    limits: {
      open(name) {
        const joint = page().app.recording.jointIndex(name);
        if (joint < 0) throw new Error(`there is no joint ${name}`);
        return page().limits.open(joint);
      },
      close: () => page().limits.close(),
      get: () => page().limits.get(),
      set: (limits) => page().limits.set(limits),
      pose: (r) => page().limits.pose(r),
      current: () => page().limits.current(),
      path: () => page().limits.path(),
      outside: () => page().limits.outside(),
      triangles: () => page().limits.triangles(),
      xml: () => page().limits.xml(),
    },
    picture() {
      const {stage} = page().app;
      stage.invalidate();
      stage.drawFine();
      return stage.canvas.toDataURL("image/png");
    },
    measure: (count) => Array.from({length: count}, () => page().app.stage.measure()),
  };
}
