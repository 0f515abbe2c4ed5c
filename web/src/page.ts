// Puts the page together: data, picture, panels, time line.
import {App, type Ghost} from "./app";
import {Recording} from "./data/recording";
import type {DataSource} from "./data/source";
import {LimitTool} from "./limits/tool";
import {buildOverlays} from "./overlays/all";
import {Overlays} from "./overlays/overlay";
import {comparePanel, ghostTitle} from "./panels/compare";
import {contactPanel} from "./panels/contacts";
import {buildHeader, type Picture} from "./panels/header";
import {runPanel} from "./panels/run";
import {SelectionPanel} from "./panels/selection";
import {showPanel} from "./panels/show";
import {Tabs} from "./panels/tabs";
import {TreePanel} from "./panels/tree";
import {trustPanel} from "./panels/trust";
import {PlotDock} from "./plots/dock";
import {SeriesBook} from "./plots/series";
import {Labels} from "./scene/labels";
import {Model} from "./scene/model";
import {Picker} from "./scene/pick";
import {Stage} from "./scene/stage";
import {TimelineBar} from "./timeline/bar";
import {Keys} from "./timeline/keys";
import {buildShortcuts} from "./timeline/shortcuts";
import {el} from "./ui/dom";
import {Signal} from "./ui/signal";

export interface Page {
  app: App;
  overlays: Overlays;
  plots: PlotDock;
  book: SeriesBook;
  limits: LimitTool;
  keys: Keys;
  tabs: Tabs;
  picture: Picture;
}

const GHOST_COLOR = 0xff4fd0;

export async function buildPage(source: DataSource): Promise<Page> {
  const recording = await Recording.open(source, 0);
  document.title = `${recording.manifest.scene} – tumble`;
  const model = await Model.load(recording);
  const ghost = recording.manifest.compare ? await loadGhost(source) : null;

  const view = el("div", {className: "view"}),
    stage = new Stage(view);
  const app = new App(source, recording, model, ghost, stage);
  const overlays = new Overlays(app, buildOverlays(app)),
    labels = new Labels(view);
  stage.drawn = (width, height) => labels.update(overlays.labels, model.root, stage.camera, width, height);

  const book = new SeriesBook(app),
    plots = new PlotDock(app, book);
  const plot = (name: string): void => plots.toggle(name);
  const limits = new LimitTool(app, book);
  const selection = new SelectionPanel(app, plot, (joint) => limits.open(joint));
  let tabs: Tabs | null = null;
  const contacts = contactPanel(app, plot, () => tabs?.open === "contacts");
  tabs = new Tabs([
    {name: "trust", label: "Trust", content: trustPanel(app, plot)},
    {name: "selection", label: "Selection", content: selection.element},
    {name: "contacts", label: "Contacts", content: contacts},
    ...(ghost
      ? [
          {
            name: "compare",
            label: "Compare",
            content: comparePanel(app, plot, () => tabs?.open === "compare"),
          },
        ]
      : []),
    {name: "run", label: "Run", content: runPanel(app)},
  ]);
  const opened = tabs;
  opened.changed = () => {
    app.refresh().catch((error) => app.report(error));
  };
  app.selection.watch((selected) => {
    if (selected && app.opensSelection) opened.show("selection");
  });

  view.append(viewLegend(app, overlays));
  const tree = new TreePanel(app),
    bar = new TimelineBar(app),
    picker = new Picker(app);
  const picture: Picture = {
    orthographic: new Signal(false),
    shadows: new Signal(true),
    wireframe: new Signal(false),
  };
  picture.orthographic.watch((on) => {
    stage.isOrthographic = on;
  });
  picture.shadows.watch((on) => {
    stage.shadows = on;
  });
  picture.wireframe.watch((on) => model.setWireframe(on, stage));
  const keys = new Keys(
    buildShortcuts({app, overlays, picture, bar, tree, picker, plots, help: () => keys.showHelp()}),
  );

  document.body.append(
    buildHeader({app, picture, tabs: opened, plots, help: () => keys.showHelp()}),
    el("aside", {className: "left"}, showPanel(app, overlays), tree.element),
    el("main", {className: "center"}, el("div", {className: "middle"}, view, plots.element), limits.element),
    opened.element,
    bar.element,
    keys.overlay,
    problemBar(app),
  );

  await app.seek(recording.start);
  stage.frame(recording.manifest, model.root);
  stage.draw();
  for (const names of recording.manifest.plots ?? [])
    await plots.addTogether(names).catch((error) => app.report(error));
  runLoop(app);
  return {app, overlays, plots, book, limits, keys, tabs: opened, picture};
}

async function loadGhost(source: DataSource): Promise<Ghost> {
  const recording = await Recording.open(source, 1),
    model = await Model.load(recording, GHOST_COLOR);
  return {recording, model};
}

/** What the colours in the picture mean: those of the other run, and of contacts while they are shown. */
function viewLegend(app: App, overlays: Overlays): HTMLElement {
  const line = (kind: string, text: string): HTMLElement =>
    el("span", {className: `key ${kind}`}, el("i"), text);
  const legend = el("div", {className: "view-legend"});
  if (app.ghost) {
    const ghost = line("ghost", `other run: ${ghostTitle(app)}`),
      title = ghost.lastChild!;
    app.onShown((shown) => {
      title.textContent =
        `other run: ${ghostTitle(app)}` + (shown.ghost ? "" : ", not at this time");
    });
    app.ghostShown.watch((on) => {
      ghost.hidden = !on;
    });
    legend.append(ghost);
  }
  const contacts = ["stick", "slip", "impact"].map((state) => line(state, state));
  legend.append(...contacts);
  overlays.switches.get("contacts")?.watch((on) => {
    for (const element of contacts) element.hidden = !on;
  });
  return legend;
}

function runLoop(app: App): void {
  let before = performance.now();
  const LONGEST = 0.25; // s; a page in the background does not jump when it comes back
  const turn = (now: number): void => {
    try {
      app.advance(Math.min((now - before) / 1000, LONGEST));
    } catch (error) {
      app.clock.pause();
      app.report(error);
    }
    before = now;
    requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
}

/** Says what went wrong, over the page, until it is closed. */
function problemBar(app: App): HTMLElement {
  const text = el("span"),
    bar = el(
      "div",
      {className: "problem", role: "alert", hidden: true},
      text,
      el(
        "button",
        {
          onclick: () => {
            app.problem.value = null;
          },
        },
        "Close",
      ),
    );
  app.problem.watch((problem) => {
    bar.hidden = problem === null;
    text.textContent = problem;
  });
  window.addEventListener("error", (event) => {
    app.problem.value = event.message;
  });
  window.addEventListener("unhandledrejection", (event) => {
    app.problem.value = event.reason instanceof Error ? event.reason.message : String(event.reason);
  });
  return bar;
}
