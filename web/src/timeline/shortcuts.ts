// What each key does.
import type {App} from "../app";
import type {Overlays} from "../overlays/overlay";
import type {Picture} from "../panels/header";
import type {TreePanel} from "../panels/tree";
import type {PlotDock} from "../plots/dock";
import type {Picker} from "../scene/pick";
import type {TimelineBar} from "./bar";
import type {Shortcut} from "./keys";

interface Parts {
  app: App;
  overlays: Overlays;
  picture: Picture;
  bar: TimelineBar;
  tree: TreePanel;
  picker: Picker;
  plots: PlotDock;
  help: () => void;
}

export function buildShortcuts({app, overlays, picture, bar, tree, picker, plots, help}: Parts): Shortcut[] {
  const {clock} = app,
    LEAP = 0.5; // s
  const leap = (by: number): void => bar.act.go(clock.time.value + by);
  const body = (): number | null => (app.selection.value?.kind === "body" ? app.selection.value.index : null);
  return [
    {keys: [" "], shown: "Space", does: "play or pause", act: () => clock.toggle()},
    {keys: ["ArrowRight"], shown: "→", does: "one frame forward", act: () => bar.act.step(1)},
    {keys: ["ArrowLeft"], shown: "←", does: "one frame back", act: () => bar.act.step(-1)},
    {keys: ["Shift+ArrowRight"], shown: "Shift →", does: "half a second forward", act: () => leap(LEAP)},
    {keys: ["Shift+ArrowLeft"], shown: "Shift ←", does: "half a second back", act: () => leap(-LEAP)},
    {keys: ["Home"], shown: "Home", does: "to the start", act: () => bar.act.go(clock.start)},
    {keys: ["End"], shown: "End", does: "to the end", act: () => bar.act.go(clock.end)},
    {keys: ["i"], shown: "I", does: "to the next impact", act: () => bar.act.impact(1)},
    {keys: ["Shift+i"], shown: "Shift I", does: "to the impact before", act: () => bar.act.impact(-1)},
    {keys: ["]"], shown: "]", does: "faster", act: () => clock.changeSpeed(1)},
    {keys: ["["], shown: "[", does: "slower", act: () => clock.changeSpeed(-1)},
    {
      keys: ["l"],
      shown: "L",
      does: "loop",
      act: () => {
        clock.loop.value = !clock.loop.value;
      },
    },
    {
      keys: ["f"],
      shown: "F",
      does: "follow the selected body",
      act: () => {
        app.follow.value = app.follow.value === body() ? null : body();
      },
    },
    {
      keys: ["z"],
      shown: "Z",
      does: "look at the selected body, or at everything",
      act: () => {
        const i = body();
        if (i === null) app.stage.look("default");
        else picker.focus(i);
      },
    },
    {keys: ["1"], shown: "1", does: "whole motion", act: () => app.stage.look("default")},
    {keys: ["2"], shown: "2", does: "from the front", act: () => app.stage.look("front")},
    {keys: ["3"], shown: "3", does: "from the side", act: () => app.stage.look("side")},
    {keys: ["4"], shown: "4", does: "from above", act: () => app.stage.look("top")},
    {keys: ["o"], shown: "O", does: "perspective or orthographic", act: () => flip(picture.orthographic)},
    {keys: ["w"], shown: "W", does: "wireframe", act: () => flip(picture.wireframe)},
    {keys: ["h"], shown: "H", does: "shadows", act: () => flip(picture.shadows)},
    ...overlays.list.map((overlay) => ({
      keys: [overlay.key.toLowerCase()],
      shown: overlay.key,
      does: `show ${overlay.label.toLowerCase()}`,
      act: () => overlays.toggle(overlay.name),
    })),
    {keys: ["g"], shown: "G", does: "plots", act: () => plots.show(!plots.isShown)},
    {keys: ["/"], shown: "/", does: "search the bodies", act: () => tree.focusSearch()},
    {keys: ["Escape"], shown: "Esc", does: "select nothing", act: () => app.select(null)},
    {keys: ["?"], shown: "?", does: "this list", act: help},
  ];
}

function flip(on: {value: boolean}): void {
  on.value = !on.value;
}
