// A table of contacts: who, force, gap, sliding speed, state.
import type {App, Shown} from "../app";
import type {Contact} from "../data/contacts";
import {el} from "../ui/dom";
import {formatShort} from "../ui/format";
import {numberField, row, type PlotByName} from "./number";

const MOST_ROWS = 100;

export class ContactTable {
  readonly element: HTMLElement;
  private readonly rows = el("tbody");
  private readonly rest = el("p", {className: "note"});
  private updated = 0;

  /** `self`: the body whose contacts these are; its name is left out. */
  constructor(
    private readonly app: App,
    private readonly self: number | null = null,
  ) {
    this.element = el(
      "div",
      {className: "contacts"},
      el(
        "table",
        {className: "contact-table"},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", {}, self === null ? "bodies" : "with"),
            el("th", {}, "N"),
            el("th", {}, "gap µm"),
            el("th", {}, "slip m/s"),
            el("th", {}),
          ),
        ),
        this.rows,
      ),
      this.rest,
    );
  }

  update(contacts: Contact[]): void {
    const PERIOD = 120; // ms
    const now = performance.now();
    if (this.app.clock.playing.value && now - this.updated < PERIOD) return;
    this.updated = now;
    const sorted = [...contacts].sort((a, b) => b.force - a.force);
    this.rows.replaceChildren(...sorted.slice(0, MOST_ROWS).map((contact) => this.line(contact)));
    this.rest.textContent =
      contacts.length === 0
        ? "No contacts at this time."
        : contacts.length > MOST_ROWS
          ? `${contacts.length - MOST_ROWS} more with smaller forces.`
          : "";
  }

  private line(contact: Contact): HTMLElement {
    const {app, self} = this,
      other = contact.a === self ? contact.b : contact.a;
    const name = (i: number): HTMLElement =>
      el("button", {className: "link", onclick: () => app.select({kind: "body", index: i})}, app.nameOf(i));
    return el(
      "tr",
      {
        data: {
          jn: String(contact.jn),
          gap: String(contact.gap),
          force: String(contact.force),
          state: contact.state,
        },
      },
      el(
        "td",
        {},
        name(self === null ? contact.a : other),
        self === null && " · ",
        self === null && name(contact.b),
      ),
      el("td", {}, formatShort(contact.force)),
      el("td", {}, formatShort(contact.gap * 1e6)),
      el("td", {}, formatShort(contact.slip)),
      el("td", {}, el("span", {className: `state ${contact.state}`}, contact.state)),
    );
  }
}

/** All contacts of the time. */
export function contactPanel(app: App, plot: PlotByName, isOpen: () => boolean): HTMLElement {
  const table = new ContactTable(app);
  const count = numberField("contacts.count", "", plot),
    force = numberField("contacts.force", "N", plot);
  app.addNeeds(() => ({contacts: isOpen()}));
  app.onShown(({moment}: Shown) => {
    if (!isOpen() || !moment.contacts) return;
    count.set(moment.contacts.length);
    force.set(moment.contacts.reduce((sum, contact) => sum + contact.force, 0));
    table.update(moment.contacts);
  });
  if (!app.recording.manifest.contacts)
    return el(
      "section",
      {className: "panel"},
      el("p", {className: "empty"}, "This recording holds no contacts. The method 'fast' records them."),
    );
  return el(
    "section",
    {className: "panel", id: "contact-list"},
    row("points", count.element),
    row("sum of normal forces", force.element),
    table.element,
  );
}
