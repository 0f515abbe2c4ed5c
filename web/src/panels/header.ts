// The bar on top: name of the run, state of the promises, how the picture is drawn, compare, save, help.
import type {App} from "../app";
import type {PlotDock} from "../plots/dock";
import type {ViewName} from "../scene/stage";
import {download, el} from "../ui/dom";
import type {Signal} from "../ui/signal";
import {filmRecorder} from "./film";
import {command} from "./run";
import {switchBox} from "./show";
import type {Tabs} from "./tabs";
import {trustBadge} from "./trust";

/** How the picture is drawn. */
export interface Picture {
  orthographic: Signal<boolean>;
  shadows: Signal<boolean>;
  wireframe: Signal<boolean>;
}

interface Parts {
  app: App;
  picture: Picture;
  tabs: Tabs;
  plots: PlotDock;
  help: () => void;
}

export function buildHeader({app, picture, tabs, plots, help}: Parts): HTMLElement {
  const {manifest} = app.recording,
    {warnings} = manifest;
  const plotted = el(
    "button",
    {
      className: "toggle",
      title: "Show or hide the plots (G)",
      data: {action: "plots"},
      onclick: () => plots.show(!plots.isShown),
    },
    "Plots",
  );
  new MutationObserver(() => plotted.setAttribute("aria-pressed", String(plots.isShown))).observe(
    plots.element,
    {attributeFilter: ["hidden"]},
  );
  plotted.setAttribute("aria-pressed", "false");
  return el(
    "header",
    {className: "top"},
    el("h1", {}, manifest.scene),
    el("span", {className: "sub"}, `${manifest.method} · accuracy ${manifest.accuracy}`),
    trustBadge(app, () => tabs.show("trust")),
    warnings.length > 0 &&
      el(
        "button",
        {className: "badge warn", onclick: () => tabs.show("run")},
        `${warnings.length} warning${warnings.length > 1 ? "s" : ""}`,
      ),
    el("span", {className: "grow"}),
    viewButton(app, picture),
    plotted,
    compareButton(app),
    filmButton(app),
    app.source.save && saveButton(app),
    el("button", {className: "help-button", title: "Mouse and keys (?)", label: "help", onclick: help}, "?"),
  );
}

function toggle(label: string, title: string, on: Signal<boolean>, name: string): HTMLElement {
  const button = el(
    "button",
    {
      className: "toggle",
      title,
      data: {action: name},
      onclick: () => {
        on.value = !on.value;
      },
    },
    label,
  );
  on.watch((value) => button.setAttribute("aria-pressed", String(value)));
  return button;
}

/** From where one looks, and how the picture is drawn. */
function viewButton(app: App, picture: Picture): HTMLElement {
  const looks: [ViewName, string, string][] = [
    ["default", "Whole motion", "1"],
    ["front", "Front", "2"],
    ["side", "Side", "3"],
    ["top", "Above", "4"],
  ];
  return sheetButton("View", "From where, and how the picture is drawn", "view", [
    el(
      "div",
      {className: "looks"},
      ...looks.map(([name, label, key]) =>
        el("button", {title: `Look from there (${key})`, onclick: () => app.stage.look(name)}, label),
      ),
    ),
    switchBox("Orthographic", "Parallel lines stay parallel", "O", picture.orthographic, "orthographic"),
    switchBox("Shadows", "Shadows of the lamp", "H", picture.shadows, "shadows"),
    switchBox("Wireframe", "Edges of the triangles only", "W", picture.wireframe, "wireframe"),
  ]);
}

/** A button that opens a small sheet below it. */
function sheetButton(label: string, title: string, name: string, content: HTMLElement[]): HTMLElement {
  const sheet = el("div", {className: "sheet", hidden: true}, ...content);
  const button = el(
    "button",
    {
      title,
      data: {action: name},
      onclick: () => {
        sheet.hidden = !sheet.hidden;
      },
    },
    label,
  );
  // The Escape key closes what is open before it does anything else.
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || sheet.hidden) return;
      sheet.hidden = true;
      event.stopImmediatePropagation();
      event.preventDefault();
    },
    {capture: true},
  );
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target as Node)) sheet.hidden = true;
  });
  const menu = el("span", {className: "menu"}, button, sheet);
  return menu;
}

/** The recording's file, as the command that made it names it. */
function fileOf(app: App): string {
  return /\S+\.tumble\b/.exec(app.recording.manifest.command)?.[0] ?? "RUN.tumble";
}

function compareButton(app: App): HTMLElement {
  const {ghost} = app;
  if (ghost) return toggle("Ghost", "Show the run that this one is compared with", app.ghostShown, "ghost");
  return sheetButton("Compare", "Compare with another run", "compare", [
    el(
      "p",
      {},
      "Open this run together with another one. It is drawn as a ghost, and a body's panel shows the " +
        "distance between the two.",
    ),
    command(`tumble view ${fileOf(app)} --compare OTHER.tumble`),
  ]);
}

function filmButton(app: App): HTMLElement {
  return sheetButton("Film", "Make a film of this run", "film", [
    el("p", {}, "The command line makes films of any length, frame by frame:"),
    command(`tumble render ${fileOf(app)} -o film.mp4`),
    el("p", {}, "Or make one here, from where you look now, at the chosen speed:"),
    ...(app.ghost ? [switchBox("Ghost", "With the other run", "", app.ghostShown, "film-ghost")] : []),
    ...filmRecorder(app),
  ]);
}

function saveButton(app: App): HTMLElement {
  const button = el(
    "button",
    {className: "save", title: "Save this page with the recording as one file", data: {action: "save"}},
    "Save page",
  );
  button.onclick = async () => {
    button.disabled = true;
    button.textContent = "Saving …";
    try {
      download(`${app.recording.manifest.scene}.html`, await app.source.save!());
      button.textContent = "Saved";
    } catch (error) {
      app.report(error);
      button.textContent = "Save page";
    }
    button.disabled = false;
    setTimeout(() => {
      button.textContent = "Save page";
    }, 2500);
  };
  return button;
}
