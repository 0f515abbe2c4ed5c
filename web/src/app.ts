// What all parts of the page share: the recordings, the picture, the time, what is selected. It knows no
// panel; panels watch it.
import * as THREE from "three";

import {STATE_NUMBERS} from "./data/frames";
import type {Moment, Needs, Recording} from "./data/recording";
import type {DataSource} from "./data/source";
import type {Quat} from "./math/vector";
import type {Model, Pose} from "./scene/model";
import type {Stage} from "./scene/stage";
import {Clock} from "./timeline/clock";
import {Signal} from "./ui/signal";

export interface Selection {
  kind: "body" | "joint";
  index: number;
}

/** A recording that the first one is compared with. */
export interface Ghost {
  recording: Recording;
  model: Model;
}

export interface Shown {
  moment: Moment;
  ghost: Moment | null;
}

export class App {
  readonly clock: Clock;
  readonly selection = new Signal<Selection | null>(null);
  readonly follow = new Signal<number | null>(null); // index of a body
  readonly ghostShown = new Signal(true);
  readonly problem = new Signal<string | null>(null);
  /** Poses that replace those of the run, until the time changes. */
  private readonly posed = new Map<number, Pose>();
  private readonly watchers: ((shown: Shown) => void)[] = [];
  private readonly wants: (() => Partial<Needs>)[] = [];
  private shown: Shown | null = null;
  opensSelection = true;
  private latest = 0;

  constructor(
    readonly source: DataSource,
    readonly recording: Recording,
    readonly model: Model,
    readonly ghost: Ghost | null,
    readonly stage: Stage,
  ) {
    this.clock = new Clock(recording.start, recording.end, recording.manifest.fps);
    stage.scene.add(model.object);
    if (ghost) stage.scene.add(ghost.model.object);
    this.ghostShown.watch(() => {
      this.showGhost();
      stage.invalidate();
    });
    stage.beforeDrawing = () => this.hideEqualBodies();
    // The run stops at frames, where all numbers are those of the recording.
    this.clock.playing.watch((on) => {
      if (on || !this.shown) return;
      const t = this.clock.snap(this.clock.time.value);
      if (t !== this.clock.time.value) this.seek(t).catch((error) => this.report(error));
    });
  }

  /** Calls `watcher` after each change of what is shown. */
  onShown(watcher: (shown: Shown) => void): void {
    this.watchers.push(watcher);
    if (this.shown) watcher(this.shown);
  }
  /** A part of the page that needs more than poses says so here, each time. */
  addNeeds(needs: () => Partial<Needs>): void {
    this.wants.push(needs);
  }
  get current(): Shown | null {
    return this.shown;
  }

  get needs(): Needs {
    const all = this.wants.map((want) => want());
    return {contacts: all.some((n) => n.contacts), reactions: all.some((n) => n.reactions)};
  }

  /** Shows time t. Resolves when it is shown; an earlier request that is still waiting is dropped. */
  async seek(t: number): Promise<void> {
    const time = this.clock.clamp(t),
      order = ++this.latest,
      {needs} = this;
    if (time !== this.clock.time.value) this.posed.clear();
    this.clock.time.value = time;
    const [moment, ghost] = await Promise.all([
      this.recording.moment(time, needs),
      this.ghost && this.inGhost(time) ? this.ghost.recording.moment(time, NOTHING) : null,
    ]);
    if (order === this.latest) this.show({moment, ghost});
  }

  /** Reads and shows the present time again, after the needs changed. */
  async refresh(): Promise<void> {
    await this.seek(this.clock.time.value);
  }

  /** One turn of the loop: `seconds` have passed. */
  advance(seconds: number): void {
    if (this.clock.playing.value) {
      const t = this.clock.after(seconds),
        {needs} = this;
      const moment = this.recording.momentNow(t, needs);
      const other = this.inGhost(t) ? this.ghost : null,
        ghost = other ? other.recording.momentNow(t, NOTHING) : null;
      if (moment && (ghost || !other)) {
        this.posed.clear();
        this.clock.time.value = t;
        ++this.latest;
        this.show({moment, ghost});
        const ahead = READ_AHEAD * this.clock.speed.value;
        this.recording.prefetch(t, needs, ahead);
        other?.recording.prefetch(t, NOTHING, ahead);
        if (t >= this.clock.end && !this.clock.loop.value) this.clock.pause();
      } else {
        // Playback waits here for the blocks that it needs.
        Promise.all([this.recording.moment(t, needs), other?.recording.moment(t, NOTHING)]).catch(
          (error: Error) => {
            this.clock.pause();
            this.report(error);
          },
        );
      }
    }
    this.stage.draw();
  }

  /** Shows bodies in other poses than those of the run, until the time changes; null: those of the run. */
  pose(poses: Map<number, Pose> | null): void {
    this.posed.clear();
    for (const [body, pose] of poses ?? []) this.posed.set(body, pose);
    if (this.shown) this.show(this.shown);
  }
  get isPosed(): boolean {
    return this.posed.size > 0;
  }

  /** The other run has time t. */
  inGhost(t: number): boolean {
    const ROUND = 1e-9;
    const other = this.ghost?.recording;
    return !!other && t >= other.start - ROUND && t <= other.end + ROUND;
  }

  /** The distance of a body's centre of mass from that in the other run, m; null if it is not in both. */
  difference({moment, ghost}: Shown, body: number): number | null {
    const other = this.ghost?.recording;
    if (!ghost || !other) return null;
    const there = other.bodyIndex(this.nameOf(body));
    if (there < 0 || other.layout.slotOf[there] < 0 || this.recording.layout.slotOf[body] < 0) return null;
    const i = body * STATE_NUMBERS,
      j = there * STATE_NUMBERS;
    return Math.hypot(...[0, 1, 2].map((n) => moment.numbers[i + n] - ghost.numbers[j + n]));
  }

  private showGhost(): void {
    if (this.ghost) this.ghost.model.object.visible = this.ghostShown.value && !!this.shown?.ghost;
  }

  /** Bodies of the other run that are less than a pixel away are not drawn: they would only flicker. */
  private hideEqualBodies(): void {
    const {ghost, model, recording, stage} = this;
    if (!ghost?.model.object.visible) return;
    ghost.recording.manifest.bodies.forEach(({name}, there) => {
      if (ghost.recording.layout.slotOf[there] < 0) return;
      const body = this.ghostBodies.get(there) ?? recording.bodyIndex(name);
      this.ghostBodies.set(there, body);
      if (body < 0) return;
      const a = model.poseOf(body),
        b = ghost.model.poseOf(there),
        cosine = Math.abs(dot4(a.rotation, b.rotation));
      const angle = 2 * Math.acos(Math.min(1, cosine));
      const off = Math.hypot(...a.position.map((x, i) => x - b.position[i])) + angle * model.radiusOf(body);
      ghost.model.setShown(there, off > stage.metresPerPixel(this.centerOf(body)));
    });
  }
  private readonly ghostBodies = new Map<number, number>();

  /** `open`: show the panel of the selection, too. */
  select(selection: Selection | null, open = true): void {
    this.opensSelection = open;
    const old = this.selection.value;
    if (old?.kind === selection?.kind && old?.index === selection?.index) return;
    this.selection.value = selection;
    // Some overlays depend on the selection.
    if (this.shown) this.show(this.shown);
  }

  nameOf(body: number): string {
    return body < 0 ? "world" : this.recording.manifest.bodies[body].name;
  }

  /** A failure that the user should see. The page goes on. */
  report(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    console.error(text);
    this.problem.value = text;
  }

  private show(shown: Shown): void {
    const followed = this.follow.value;
    const before = followed === null ? null : this.centerOf(followed);
    this.shown = shown;
    this.model.update(shown.moment.numbers);
    for (const [body, pose] of this.posed) this.model.setPose(body, pose);
    if (this.posed.size) this.model.placed();
    if (shown.ghost) this.ghost?.model.update(shown.ghost.numbers);
    this.showGhost();
    if (followed !== null && before) this.stage.shift(this.centerOf(followed).sub(before));
    for (const watcher of this.watchers) watcher(shown);
    this.stage.invalidate();
  }

  private centerOf(body: number): THREE.Vector3 {
    return new THREE.Vector3(...this.model.poseOf(body).position).applyMatrix4(this.model.root.matrixWorld);
  }
}

function dot4(a: Quat, b: Quat): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/** Playback reads what it needs this long before, s. */
const READ_AHEAD = 1;
const NOTHING: Needs = {contacts: false, reactions: false};
