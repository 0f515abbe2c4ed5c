// Axes of a diagram: ticks at round numbers, linear or logarithmic, and curves with few points.

export interface Span {
  lo: number;
  hi: number;
}

/** Round numbers in a span, about `count` of them. */
export function linearTicks({lo, hi}: Span, count: number): number[] {
  const raw = (hi - lo) / Math.max(1, count);
  if (!(raw > 0) || !Number.isFinite(raw)) return [lo];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= raw * 0.999) ?? 10 * power;
  const ticks: number[] = [];
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + step * 1e-9; ++i) ticks.push(i * step);
  return ticks;
}

/** Powers of ten in a span; at most `count`, so some are left out. */
export function logTicks({lo, hi}: Span, count: number): number[] {
  const first = Math.ceil(Math.log10(lo) - 1e-9),
    last = Math.floor(Math.log10(hi) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / Math.max(1, count)));
  const ticks: number[] = [];
  for (let i = first; i <= last; i += step) ticks.push(Number(`1e${i}`));
  return ticks.length ? ticks : [lo, hi];
}

/** Text of the ticks of one axis, all with the same digits; powers of ten of a logarithmic one: 1e−2. */
export function tickText(value: number, ticks: number[], log = false): string {
  if (log) {
    const isLong = ticks.some((tick) => tick < 0.01 || tick >= 1e5);
    const text = isLong ? value.toExponential(1).replace(".0", "") : String(Number(value.toPrecision(2)));
    return text.replace("e+", "e").replace("-", "−");
  }
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : Math.abs(value);
  const largest = Math.max(...ticks.map(Math.abs));
  if (value === 0) return "0";
  if (largest >= 1e5 || largest < 1e-3)
    return value
      .toExponential(2)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e")
      .replace("-", "−");
  const digits = Math.max(0, -Math.floor(Math.log10(step || 1) + 1e-9));
  return value.toFixed(Math.min(digits, 8)).replace("-", "−");
}

/** The span of values that are shown, with a little room. */
export function spanOf(t: Float64Array, y: Float64Array, range: Span, log: boolean): Span | null {
  let lo = Infinity,
    hi = -Infinity;
  for (let i = 0; i < t.length; ++i) {
    if (t[i] < range.lo || t[i] > range.hi || !Number.isFinite(y[i]) || (log && y[i] <= 0)) continue;
    if (y[i] < lo) lo = y[i];
    if (y[i] > hi) hi = y[i];
  }
  return lo <= hi ? {lo, hi} : null;
}

/** The least part of the largest value that a logarithmic axis shows. */
export const LOG_FLOOR = 1e-12;

/** A span with room above and below; one that is a single value gets width. */
export function padded({lo, hi}: Span, log: boolean): Span {
  // Far below the largest value a curve is numerical noise.
  if (log) return {lo: Math.max(lo, hi * LOG_FLOOR) / 1.3, hi: hi * 1.3};
  // Round-off in a constant column is not worth a picture that fills the axis.
  const ROUND_OFF = 1e-12;
  const least = Math.max(Math.abs(lo), Math.abs(hi)) * ROUND_OFF;
  if (hi - lo <= least) {
    const half = Math.abs(lo) * 0.1 || 1;
    return {lo: lo - half, hi: hi + half};
  }
  const room = (hi - lo) * 0.06;
  return {lo: lo - room, hi: hi + room};
}

/**
 * Indices of the points that a curve of `width` pixels needs: the first, lowest, highest and last of each
 * pixel, and one beyond either end.
 */
export function thin(t: Float64Array, y: Float64Array, range: Span, width: number): number[] {
  let first = 0,
    last = t.length - 1;
  while (first < last && t[first + 1] < range.lo) ++first;
  while (last > first && t[last - 1] > range.hi) --last;
  const all = Array.from({length: last - first + 1}, (_, i) => first + i);
  if (all.length <= 4 * width) return all;
  const kept: number[] = [],
    pixel = (i: number): number => Math.floor(((t[i] - range.lo) / (range.hi - range.lo)) * width);
  for (let i = first; i <= last;) {
    let end = i,
      lowest = i,
      highest = i;
    for (; end <= last && pixel(end) === pixel(i); ++end) {
      if (y[end] < y[lowest]) lowest = end;
      if (y[end] > y[highest]) highest = end;
    }
    kept.push(...[...new Set([i, lowest, highest, end - 1])].sort((a, b) => a - b));
    i = end;
  }
  return kept;
}
