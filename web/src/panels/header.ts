// The bar on top: name of the run, state of the promises, how the picture is drawn, compare, save, help.
import type {App} from "../app";
import type {PlotDock} from "../plots/dock";
import type {ViewName} from "../scene/stage";
import {download, el} from "../ui/dom";
import type {Signal} from "../ui/signal";
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
    el("p", {}, "Or record this picture as it plays, at the chosen speed:"),
    recordButton(app),
  ]);
}

/** Plays the run from its start and records the picture. */
function recordButton(app: App): HTMLElement {
  const button = el("button", {className: "wide", data: {action: "record"}}, "Record a WebM film");
  let recorder: MediaRecorder | null = null;
  button.onclick = async () => {
    if (recorder) return recorder.stop();
    const FRAMES_PER_SECOND = 30;
    const stream = app.stage.canvas.captureStream(FRAMES_PER_SECOND),
      pieces: Blob[] = [];
    const made = (recorder = new MediaRecorder(stream, {mimeType: "video/webm"}));
    made.ondataavailable = (event) => pieces.push(event.data);
    made.onstop = () => {
      recorder = null;
      button.textContent = "Record a WebM film";
      app.clock.pause();
      app.stage.opaque = false;
      download(`${app.recording.manifest.scene}.webm`, new Blob(pieces, {type: "video/webm"}));
    };
    await app.seek(app.clock.start);
    app.clock.loop.value = false;
    app.stage.opaque = true;
    made.start();
    button.textContent = "Recording … click to stop";
    app.clock.play();
    app.clock.playing.watch((on) => {
      if (!on && recorder === made) made.stop();
    });
  };
  return button;
}

function saveButton(app: App): HTMLElement {
  const button = el(
    "button",
    {title: "Save this page with the recording as one file", data: {action: "save"}},
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
