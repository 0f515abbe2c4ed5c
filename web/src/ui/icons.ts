// Icons as outlines in a square of 16.
import {svg} from "./dom";

const PATHS: Record<string, string> = {
  play: "M4.5 2.8v10.4L13 8z",
  pause: "M4.5 3h2.4v10H4.5zM9.1 3h2.4v10H9.1z",
  first: "M3.2 3.2v9.6M12.8 3.4v9.2L5.6 8z",
  last: "M12.8 3.2v9.6M3.2 3.4v9.2L10.4 8z",
  back: "M11.2 3.4v9.2L4.4 8z",
  forward: "M4.8 3.4v9.2L11.6 8z",
  "impact-back": "M9.8 4 5.8 8l4 4",
  "impact-forward": "M6.2 4l4 4-4 4",
  loop: "M12.9 6.2A5.2 5.2 0 0 0 3.4 5.4M3.1 9.8a5.2 5.2 0 0 0 9.5.8M3 2.6v3h3M13 13.4v-3h-3",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3.2 8.4l3 3 6.4-7",
  warning: "M8 2.4 14.4 13.4H1.6zM8 6.4v3.4M8 11.4v.6",
  plot: "M2.4 2.4v11.2h11.2M4.6 10.4l3-4 2.4 2 3.4-4.6",
};
const FILLED = new Set(["play", "pause"]);

export function icon(name: string): SVGSVGElement {
  const path = svg("path", {d: PATHS[name] ?? ""});
  return svg(
    "svg",
    {viewBox: "0 0 16 16", class: FILLED.has(name) ? "glyph filled" : "glyph", "aria-hidden": "true"},
    path,
  );
}
