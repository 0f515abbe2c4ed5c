// Switches of the overlays and of the picture.
import type {App} from "../app";
import type {Overlays} from "../overlays/overlay";
import {el} from "../ui/dom";
import type {Signal} from "../ui/signal";

export function showPanel(app: App, overlays: Overlays): HTMLElement {
  const overlaySwitches = overlays.list.map((overlay) => {
    const on = overlays.switches.get(overlay.name)!;
    const missing = overlay.name === "contacts" && !app.recording.manifest.contacts;
    const says = missing ? "This recording holds no contacts; the method 'fast' records them." : overlay.says;
    const element = switchBox(overlay.label, says, overlay.key, on, overlay.name);
    element.querySelector("input")!.disabled = missing;
    element.classList.toggle("missing", missing);
    return element;
  });
  return el(
    "section",
    {className: "panel show"},
    el("h3", {}, "Show"),
    el("div", {className: "switches"}, ...overlaySwitches),
  );
}

export function switchBox(
  label: string,
  title: string,
  key: string,
  on: Signal<boolean>,
  name: string,
): HTMLElement {
  const box = el("input", {type: "checkbox", data: {switch: name}});
  box.onchange = () => {
    on.value = box.checked;
  };
  on.watch((value) => {
    box.checked = value;
  });
  return el(
    "label",
    {className: "switch", title: key ? `${title} (${key})` : title},
    box,
    el("span", {}, label),
    key ? el("kbd", {}, key) : null,
  );
}
