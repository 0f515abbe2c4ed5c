// The time that is shown, and how it advances while the run plays.
import {Signal} from "../ui/signal";

export const SPEEDS = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8];

export class Clock {
  readonly time: Signal<number>;
  readonly playing = new Signal(false);
  readonly speed = new Signal(1);
  readonly loop = new Signal(false);

  constructor(
    readonly start: number,
    readonly end: number,
    readonly fps: number,
  ) {
    this.time = new Signal(start);
  }

  clamp(t: number): number {
    return Math.min(Math.max(t, this.start), this.end);
  }

  play(): void {
    if (this.time.value >= this.end) this.time.value = this.start;
    this.playing.value = this.end > this.start;
  }
  pause(): void {
    this.playing.value = false;
  }
  toggle(): void {
    if (this.playing.value) this.pause();
    else this.play();
  }

  /** The time after `seconds` of wall time. At the end it starts again or stops. */
  after(seconds: number): number {
    const t = this.time.value + seconds * this.speed.value;
    if (t < this.end) return t;
    return this.loop.value ? this.start + ((t - this.start) % (this.end - this.start)) : this.end;
  }

  /** The exact time of the next frame, or of the one before. */
  step(direction: 1 | -1): number {
    const first = Math.round(this.start * this.fps),
      k = this.time.value * this.fps;
    const ROUND = 1e-6;
    const next = direction > 0 ? Math.floor(k + ROUND) + 1 : Math.ceil(k - ROUND) - 1;
    return this.clamp(Math.max(first, next) / this.fps);
  }

  /** The time of the nearest frame. */
  snap(t: number): number {
    const first = Math.round(this.start * this.fps),
      last = Math.round(this.end * this.fps);
    return this.clamp(Math.min(last, Math.max(first, Math.round(t * this.fps))) / this.fps);
  }

  /** Half or twice the speed. */
  changeSpeed(direction: 1 | -1): void {
    const i = SPEEDS.indexOf(this.speed.value) + direction;
    if (SPEEDS[i] !== undefined) this.speed.value = SPEEDS[i];
  }
}

export function speedText(speed: number): string {
  return speed < 1 ? `1/${Math.round(1 / speed)}×` : `${speed}×`;
}
