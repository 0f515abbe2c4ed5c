// Keyboard shortcuts, and the overlay that lists them.
import {el} from "../ui/dom";
import {Signal} from "../ui/signal";

export interface Shortcut {
  keys: string[]; // values of KeyboardEvent.key; "Shift+" in front for the shifted one
  shown: string;
  does: string;
  act: () => void;
}

export class Keys {
  readonly on = new Signal(true);
  readonly overlay: HTMLDialogElement;
  private readonly byKey = new Map<string, Shortcut>();

  constructor(readonly shortcuts: Shortcut[]) {
    for (const shortcut of shortcuts) for (const key of shortcut.keys) this.byKey.set(key, shortcut);
    const box = el("input", {type: "checkbox", id: "keys-on", checked: true});
    box.onchange = () => {
      this.on.value = box.checked;
    };
    this.on.watch((on) => {
      box.checked = on;
    });
    const rows = shortcuts.map((s) =>
      el("tr", {}, el("td", {}, el("kbd", {}, s.shown)), el("td", {}, s.does)),
    );
    this.overlay = el(
      "dialog",
      {className: "help"},
      el("h2", {}, "Mouse and keys"),
      el(
        "table",
        {},
        mouse("drag", "turn the view"),
        mouse("right drag, Shift+drag", "move the view"),
        mouse("wheel", "nearer, farther"),
        mouse("click a body", "its state, mass and contacts"),
        mouse("double click", "look at that body"),
        mouse("click a number", "plot it over time"),
      ),
      el("table", {}, ...rows),
      el("label", {className: "switch"}, box, "Keys are on"),
      el("button", {onclick: () => this.overlay.close()}, "Close"),
    );
    this.overlay.onclick = (event) => {
      if (event.target === this.overlay) this.overlay.close();
    };
    window.addEventListener("keydown", (event) => this.press(event));
    // Buttons are pressed when the space bar goes up.
    window.addEventListener("keyup", (event) => {
      if (event.key === " " && this.on.value && !this.overlay.open && !isIn(event.target, TEXT_FIELDS))
        event.preventDefault();
    });
    // What was clicked with the mouse does not keep the keys to itself.
    document.addEventListener("click", (event) => {
      const {activeElement} = document;
      if (event.detail > 0 && isIn(activeElement, "button, input[type=checkbox], input[type=range]"))
        (activeElement as HTMLElement).blur();
    });
    // After a choice in a list the keys are shortcuts again.
    document.addEventListener("change", (event) => {
      if (event.target instanceof HTMLSelectElement) event.target.blur();
    });
  }

  showHelp(): void {
    if (this.overlay.open) this.overlay.close();
    else this.overlay.showModal();
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const typing = target.closest(
      event.key === " " ? TEXT_FIELDS : "textarea, select, input:not([type=checkbox]):not(.scrub)",
    );
    if (typing) {
      if (event.key === "Escape") (typing as HTMLElement).blur();
      return;
    }
    // The space bar plays, whatever has the focus; the enter key presses what has it.
    if (event.key === "Enter" && target.matches("input[type=checkbox]")) {
      target.click();
      return;
    }
    // The way back must stay open when the keys are off.
    if (!this.on.value && event.key !== "?") return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const shortcut =
      (event.shiftKey ? this.byKey.get(`Shift+${name}`) : undefined) ??
      this.byKey.get(event.key) ??
      (event.shiftKey ? undefined : this.byKey.get(name));
    if (!shortcut || (this.overlay.open && event.key !== "?")) return;
    event.preventDefault();
    shortcut.act();
  }
}

const TEXT_FIELDS = "textarea, input:not([type=checkbox]):not([type=range])";

function isIn(target: EventTarget | null, selector: string): boolean {
  return target instanceof Element && target.matches(selector);
}

function mouse(what: string, does: string): HTMLElement {
  return el("tr", {}, el("td", {}, what), el("td", {}, does));
}
