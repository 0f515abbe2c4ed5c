// The panels on the right, one at a time.
import {el} from "../ui/dom";

export interface Tab {
  name: string;
  label: string;
  content: HTMLElement;
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly buttons = new Map<string, HTMLButtonElement>();
  open = "";
  /** Called after another one was opened. */
  changed: (() => void) | null = null;

  constructor(private readonly tabs: Tab[]) {
    const bar = el("div", {className: "tabs", role: "tablist"});
    for (const {name, label} of tabs) {
      const button = el("button", {role: "tab", onclick: () => this.show(name), data: {tab: name}}, label);
      this.buttons.set(name, button);
      bar.append(button);
    }
    this.element = el("aside", {className: "right"}, bar, ...tabs.map((tab) => tab.content));
    this.show(tabs[0].name);
  }

  show(name: string): void {
    if (this.open === name) return;
    this.open = name;
    for (const tab of this.tabs) {
      tab.content.hidden = tab.name !== name;
      this.buttons.get(tab.name)?.setAttribute("aria-selected", String(tab.name === name));
    }
    this.changed?.();
  }
}
