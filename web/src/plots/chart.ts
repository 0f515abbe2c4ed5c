// One diagram as SVG: curves over time. The same function draws it in the page and for a file.
import {svg} from "../ui/dom";
import {linearTicks, logTicks, padded, spanOf, thin, tickText, type Span} from "./axes";
import type {Series} from "./series";

/** Eight colours that differ also for those who confuse red and green. */
export const CURVE_COLORS = [
  "#79b4ff",
  "#f0b34a",
  "#63d3a6",
  "#f07f9a",
  "#b79cff",
  "#63c7e6",
  "#d9d36a",
  "#d49a6a",
];

export interface ChartOptions {
  width: number;
  height: number;
  range: Span; // s
  log: boolean;
  everyPoint: boolean; // for a file: nothing is thinned out, coordinates have all digits
  paper: boolean; // dark on white
}

export interface Chart {
  element: SVGSVGElement;
  plotted: {left: number; right: number; top: number; bottom: number};
}

export function drawChart(list: {series: Series; color: string}[], options: ChartOptions): Chart {
  const {width, height, range, log} = options;
  const unit = list[0]?.series.unit ?? "";
  const spans = list.map(({series}) => spanOf(series.t, series.y, range, log)).filter((s) => s !== null);
  const whole = spans.length
    ? {lo: Math.min(...spans.map((s) => s.lo)), hi: Math.max(...spans.map((s) => s.hi))}
    : log
      ? {lo: 0.1, hi: 1}
      : {lo: 0, hi: 1};
  const span = padded(whole, log);
  const ticks = log ? logTicks(span, height / 40) : linearTicks(span, height / 40);
  const labels = ticks.map((tick) => tickText(tick, ticks, log));
  const left = 26 + 6.6 * Math.max(3, ...labels.map((label) => label.length)),
    right = width - 14;
  const top = 10,
    bottom = height - 24;
  const x = (t: number): number => left + ((t - range.lo) / (range.hi - range.lo)) * (right - left);
  const scaled = (v: number): number =>
    log
      ? (Math.log(v) - Math.log(span.lo)) / (Math.log(span.hi) - Math.log(span.lo))
      : (v - span.lo) / (span.hi - span.lo);
  const y = (v: number): number => bottom - scaled(v) * (bottom - top);
  const ink = options.paper ? {text: "#444", grid: "#e3e6e9"} : {text: "#8d959e", grid: "#2a2f35"};

  const times = linearTicks(range, (right - left) / 60);
  const id = `clip${Math.random().toString(36).slice(2)}`;
  const element = svg("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    "font-family": "system-ui, sans-serif",
    "font-size": 11,
    // Where the axes are, so that values can be read back from the paths.
    "data-left": left,
    "data-right": right,
    "data-top": top,
    "data-bottom": bottom,
    "data-t-lo": range.lo,
    "data-t-hi": range.hi,
    "data-y-lo": span.lo,
    "data-y-hi": span.hi,
    "data-scale": log ? "log" : "linear",
  });
  if (options.paper) element.append(svg("rect", {width, height, fill: "#fff"}));
  element.append(
    svg("clipPath", {id}, svg("rect", {x: left, y: top, width: right - left, height: bottom - top})),
  );
  ticks.forEach((tick, i) =>
    element.append(
      svg("line", {x1: left, x2: right, y1: y(tick), y2: y(tick), stroke: ink.grid}),
      svg("text", {x: left - 6, y: y(tick) + 4, "text-anchor": "end", fill: ink.text}, labels[i]),
    ),
  );
  for (const tick of times)
    element.append(
      svg("line", {x1: x(tick), x2: x(tick), y1: top, y2: bottom, stroke: ink.grid}),
      svg(
        "text",
        {
          x: Math.min(x(tick), right),
          y: height - 9,
          fill: ink.text,
          "text-anchor": x(tick) > right - 12 ? "end" : "middle",
        },
        `${tickText(tick, times)} s`,
      ),
    );
  element.append(
    svg(
      "text",
      {
        x: 11,
        y: (top + bottom) / 2,
        fill: ink.text,
        "text-anchor": "middle",
        transform: `rotate(-90 11 ${(top + bottom) / 2})`,
      },
      unit,
    ),
  );
  const curves = svg("g", {"clip-path": `url(#${id})`});
  for (const {series, color} of list)
    curves.append(
      svg("path", {
        d: pathOf(series, options, x, y),
        fill: "none",
        stroke: color,
        "stroke-width": 1.6,
        "stroke-linejoin": "round",
        "data-name": series.name,
        "data-unit": series.unit,
      }),
    );
  element.append(curves);
  if (options.paper)
    list.forEach(({series, color}, i) =>
      element.append(
        svg("line", {
          x1: left + 10,
          x2: left + 28,
          y1: top + 12 + 15 * i,
          y2: top + 12 + 15 * i,
          stroke: color,
          "stroke-width": 2,
        }),
        svg("text", {x: left + 34, y: top + 16 + 15 * i, fill: ink.text}, series.name),
      ),
    );
  return {element, plotted: {left, right, top, bottom}};
}

function pathOf(
  {t, y: values}: Series,
  options: ChartOptions,
  x: (t: number) => number,
  y: (v: number) => number,
): string {
  const indices = options.everyPoint ? values.keys() : thin(t, values, options.range, options.width);
  const text = (n: number): string => (options.everyPoint ? String(n) : n.toFixed(2));
  let path = "",
    pen = false;
  for (const i of indices) {
    const v = values[i],
      drawn = Number.isFinite(v) && !(options.log && v <= 0);
    if (drawn) path += `${pen ? "L" : "M"}${text(x(t[i]))} ${text(y(v))}`;
    pen = drawn;
  }
  return path;
}
