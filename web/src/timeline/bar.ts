// The bar below the picture: play, step, scrub, speed, loop, marks of impacts.
import type {App} from "../app";
import {el} from "../ui/dom";
import {icon} from "../ui/icons";
import {SPEEDS, speedText} from "./clock";

/** More marks than this are a grey band. */
const MOST_MARKS = 400;

export class TimelineBar {
  readonly element: HTMLElement;
  private readonly impacts: number[];

  constructor(private readonly app: App) {
    const {clock} = app;
    this.impacts = app.recording.log.impactTimes();
    const go = (t: number): void => {
      app.seek(t).catch((error) => app.report(error));
    };
    const button = (name: string, title: string, act: () => void): HTMLButtonElement =>
      el("button", {className: "icon", title, label: title, onclick: act, data: {action: name}}, icon(name));

    const play = button("play", "Play (space)", () => clock.toggle());
    play.classList.add("play");
    clock.playing.watch((on) => {
      play.replaceChildren(icon(on ? "pause" : "play"));
      play.title = on ? "Pause (space)" : "Play (space)";
    });
    const step = (direction: 1 | -1): void => {
      clock.pause();
      go(clock.step(direction));
    };
    const impact = (direction: 1 | -1): void => {
      clock.pause();
      this.toImpact(direction).catch((error) => app.report(error));
    };
    const speed = el(
      "select",
      {title: "Speed ([ and ])", label: "speed", className: "speed"},
      ...SPEEDS.map((value) => el("option", {value: String(value)}, speedText(value))),
    );
    clock.speed.watch((value) => {
      speed.value = String(value);
    });
    speed.onchange = () => {
      clock.speed.value = Number(speed.value);
    };
    const loop = button("loop", "Loop (L)", () => {
      clock.loop.value = !clock.loop.value;
    });
    clock.loop.watch((on) => loop.setAttribute("aria-pressed", String(on)));

    const scrub = el("input", {
      type: "range",
      className: "scrub",
      label: "time",
      min: String(clock.start),
      max: String(clock.end),
      step: "any",
      value: String(clock.start),
    });
    // Between frames no number is that of the recording, so the knob stops at frames only.
    let free = false;
    for (const name of ["pointerdown", "pointermove", "keydown", "keyup"] as const)
      window.addEventListener(name, (event) => {
        free = event.altKey;
      });
    scrub.title = "Time, in frames; with Alt anywhere";
    scrub.oninput = () => {
      clock.pause();
      const t = Number(scrub.value);
      go(free ? t : clock.snap(t));
    };
    const track = el("div", {className: "track"}, this.marks(), this.endOfOther(), scrub, this.note);
    const time = el("input", {
      className: "time",
      type: "text",
      inputMode: "decimal",
      label: "time in seconds",
      title: "Time; type one to go there",
    });
    time.onchange = () => {
      const t = Number(time.value.replace(/s\s*$/, ""));
      if (Number.isFinite(t)) go(t);
      time.blur();
    };
    const frame = el("span", {className: "frame"});
    // As wide as the longest text, so that nothing moves beside it.
    const lastFrame = Math.round(clock.end * clock.fps);
    frame.style.minWidth = `${`of ${clock.end.toFixed(3)} s · frame ${lastFrame}`.length}ch`;
    clock.time.watch((t) => {
      if (t !== this.saidAt) this.note.hidden = true;
      scrub.value = String(t);
      scrub.style.setProperty("--done", `${((t - clock.start) / (clock.end - clock.start || 1)) * 100}%`);
      if (document.activeElement !== time) time.value = t.toFixed(3);
      frame.textContent = `of ${clock.end.toFixed(3)} s · frame ${Math.round(t * clock.fps)}`;
    });

    const hits = this.impacts.length > 0;
    this.element = el(
      "div",
      {className: "timeline"},
      el(
        "div",
        {className: "buttons"},
        button("first", "To the start (Home)", () => go(clock.start)),
        button("back", "One frame back (←)", () => step(-1)),
        play,
        button("forward", "One frame forward (→)", () => step(1)),
        button("last", "To the end (End)", () => go(clock.end)),
        loop,
        speed,
      ),
      track,
      el(
        "div",
        {className: "buttons"},
        hits && button("impact-back", "To the impact before (Shift+I)", () => impact(-1)),
        hits && el("span", {className: "hint"}, "impact"),
        hits && button("impact-forward", "To the next impact (I)", () => impact(1)),
        time,
        frame,
      ),
    );
    this.act = {step, impact, go};
  }

  /** For keys. */
  readonly act: {
    step: (direction: 1 | -1) => void;
    impact: (direction: 1 | -1) => void;
    go: (t: number) => void;
  };

  /** Goes to the first frame at or after the next impact that shows it. Impacts of one frame are one. */
  private async toImpact(direction: 1 | -1): Promise<void> {
    const {app} = this,
      {clock, recording} = app;
    const now = clock.time.value * clock.fps,
      last = Math.round(clock.end * clock.fps);
    const places = await Promise.all(
      this.near(direction).map(async (k): Promise<[number, boolean]> => {
        // The state is that of the end of a step, so the frame after may be the one that says impact.
        for (const at of [k, k + 1]) {
          if (at > last) continue;
          const {contacts} = await recording.moment(at / clock.fps, {contacts: true, reactions: false});
          if (contacts?.some((contact) => contact.state === "impact")) return [at, true];
        }
        return [k, false];
      }),
    );
    const found = places.find(([k]) => (direction > 0 ? k > now + 1e-6 : k < now - 1e-6));
    if (!found) return this.say(direction > 0 ? "No impact after this time" : "No impact before this time");
    const [frame, seen] = found;
    await app.seek(frame / clock.fps);
    if (!recording.manifest.contacts) return;
    this.say(
      seen
        ? ""
        : "The log counts an impact here, but no contact of the frame shows one: a joint met its limit, or " +
            "bodies hit and parted between two frames",
    );
  }

  /** Frames at or after impacts, nearest first; a few, because the nearest may be where one is already. */
  private near(direction: 1 | -1): number[] {
    const {clock} = this.app,
      now = clock.time.value * clock.fps,
      ENOUGH = 4;
    const frames = [...new Set(this.impacts.map((t) => Math.ceil(t * clock.fps - 1e-6)))];
    if (direction > 0) {
      const next = frames.findIndex((k) => k >= now - 1 - 1e-6);
      return next < 0 ? [] : frames.slice(next, next + ENOUGH);
    }
    return frames.filter((k) => k < now - 1e-6).slice(-ENOUGH).reverse();
  }

  /** A remark beside the knob, until the time changes. */
  private say(text: string): void {
    this.note.textContent = text;
    this.note.hidden = text === "";
    this.saidAt = this.app.clock.time.value;
  }
  private readonly note = el("div", {className: "bar-note", role: "status", hidden: true});
  private saidAt = 0;

  /** Where the other run ends, if it ends before this one. */
  private endOfOther(): HTMLElement {
    const {clock, ghost} = this.app,
      marks = el("div", {className: "marks"});
    if (!ghost || ghost.recording.end >= clock.end - 1e-9) return marks;
    const mark = el("i", {className: "other-end"}, "other run ends");
    mark.title = `the other run ends at ${ghost.recording.end.toFixed(3)} s`;
    mark.style.left = `${((ghost.recording.end - clock.start) / (clock.end - clock.start)) * 100}%`;
    marks.append(mark);
    return marks;
  }

  private marks(): HTMLElement {
    const {clock} = this.app,
      marks = el("div", {className: "marks"});
    const length = clock.end - clock.start || 1,
      seen = new Set<number>();
    for (const t of this.impacts) {
      const place = Math.round(((t - clock.start) / length) * 1000);
      if (seen.size >= MOST_MARKS || seen.has(place)) continue;
      seen.add(place);
      const mark = el("i", {title: `impact at ${t.toFixed(3)} s`});
      mark.style.left = `${place / 10}%`;
      marks.append(mark);
    }
    return marks;
  }
}
