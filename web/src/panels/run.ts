// What ran: scene, method, versions, the command that repeats it, warnings.
import type {App} from "../app";
import {copyText, el} from "../ui/dom";
import {formatNumber} from "../ui/format";
import {row} from "./number";

export function runPanel(app: App): HTMLElement {
  const {manifest: m} = app.recording,
    other = app.ghost?.recording.manifest;
  const moving = m.bodies.filter((body) => !body.fixed).length;
  return el(
    "section",
    {className: "panel run"},
    el("h3", {}, "Run"),
    row("scene", m.scene),
    row("method", m.method),
    row("integrator", m.integrator),
    row("accuracy", formatNumber(m.accuracy)),
    row("frames", `${m.frames} at ${formatNumber(m.fps)} 1/s`),
    row("bodies", `${moving} moving, ${m.bodies.length - moving} fixed`),
    row("joints", String(m.joints.length)),
    row("tumble", m.version),
    other ? row("compared with", `${other.scene}, ${other.method}, ${formatNumber(other.accuracy)}`) : "",
    el("h3", {}, "Repeat it"),
    command(m.command),
    ...(m.settings.length ? [el("h3", {}, "Settings"), el("pre", {}, m.settings.join("\n"))] : []),
    ...(m.inputs ? [el("h3", {}, "Inputs"), el("pre", {}, m.inputs)] : []),
    el("h3", {}, m.warnings.length ? `Warnings (${m.warnings.length})` : "Warnings"),
    ...(m.warnings.length
      ? m.warnings.map((text) => el("p", {className: "warning"}, text))
      : [el("p", {className: "note"}, "None.")]),
    ...summaryRows(m.summary),
  );
}

function summaryRows(summary: Record<string, unknown> | null): HTMLElement[] {
  const numbers = Object.entries(summary ?? {}).filter(([, value]) => typeof value === "number");
  if (!numbers.length) return [];
  return [
    el("h3", {}, "Summary"),
    ...numbers.map(([name, value]) => row(name.replaceAll("_", " "), formatNumber(value as number))),
  ];
}

/** A command line with a button that copies it. */
export function command(text: string): HTMLElement {
  const copy = el("button", {title: "Copy"}, "Copy");
  copy.onclick = async () => {
    await copyText(text);
    copy.textContent = "Copied";
    setTimeout(() => {
      copy.textContent = "Copy";
    }, 1500);
  };
  return el("div", {className: "command"}, el("code", {}, text), copy);
}
