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
      const t = this.nextImpact(direction);
      if (t !== null) go(t);
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
    scrub.oninput = () => {
      clock.pause();
      go(Number(scrub.value));
    };
    const track = el("div", {className: "track"}, this.marks(), scrub);
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
    clock.time.watch((t) => {
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

  /**
   * The frame after the next impact, so that its contacts are shown there. Impacts of one frame are one.
   */
  private nextImpact(direction: 1 | -1): number | null {
    const {clock} = this.app,
      frames = this.impacts.map((t) => Math.ceil(t * clock.fps - 1e-6));
    const now = clock.time.value * clock.fps;
    const found =
      direction > 0 ? frames.find((k) => k > now + 1e-6) : frames.reverse().find((k) => k < now - 1e-6);
    return found === undefined ? null : found / clock.fps;
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
