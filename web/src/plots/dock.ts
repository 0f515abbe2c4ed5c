// The plots under the picture: diagrams with common time, cursor and zoom.
import type {App} from "../app";
import {download, el, svg} from "../ui/dom";
import {formatNumber} from "../ui/format";
import {icon} from "../ui/icons";
import {CURVE_COLORS, drawChart, type Chart} from "./chart";
import type {Span} from "./axes";
import type {Series, SeriesBook} from "./series";
import {toCsv} from "./table";

interface Curve {
  series: Series;
  color: string;
  value: HTMLElement; // at the cursor
}

interface Diagram {
  element: HTMLElement;
  area: HTMLElement;
  legend: HTMLElement;
  curves: Curve[];
  log: boolean;
  chart: Chart | null;
  cursor: SVGLineElement;
}

export class PlotDock {
  readonly element = el("section", {className: "plots", hidden: true, label: "plots"});
  private readonly diagrams: Diagram[] = [];
  private readonly strip = el("div", {className: "diagrams"});
  private range: Span;

  constructor(
    private readonly app: App,
    private readonly book: SeriesBook,
  ) {
    this.range = this.whole;
    const choose = el(
      "select",
      {label: "add a quantity"},
      el("option", {value: ""}, "Add a quantity …"),
      ...book.general().map((name) => el("option", {value: name}, name)),
    );
    choose.onchange = () => {
      if (choose.value) this.toggle(choose.value);
      choose.value = "";
    };
    this.element.append(
      el(
        "header",
        {},
        el("h3", {}, "Plots"),
        choose,
        el(
          "span",
          {className: "hint"},
          "Click any number to plot it. Wheel: zoom. Drag: time. Double click: all.",
        ),
        el("span", {className: "grow"}),
        el("button", {onclick: () => this.saveCsv(), title: "Save the plotted values"}, "CSV"),
        el("button", {onclick: () => this.saveSvg(), title: "Save the diagrams"}, "SVG"),
        el(
          "button",
          {
            className: "icon",
            title: "Remove all plots",
            label: "remove all plots",
            onclick: () => this.clear(),
          },
          icon("close"),
        ),
      ),
      this.strip,
    );
    new ResizeObserver(() => this.drawAll()).observe(this.strip);
    app.clock.time.watch(() => this.moveCursor());
  }

  /** Plots a quantity, or removes it if it is plotted. */
  toggle(name: string): void {
    if (this.find(name)) this.remove(name);
    else this.add(name).catch((error) => this.app.report(error));
  }

  async add(name: string, diagram?: Diagram): Promise<void> {
    if (this.find(name)) return;
    this.element.classList.add("busy");
    try {
      const series = await this.book.get(name);
      if (this.find(name)) return;
      this.place(series, diagram);
    } finally {
      this.element.classList.remove("busy");
    }
  }

  /** Plots several quantities in one new diagram. */
  async addTogether(names: string[]): Promise<void> {
    const list = await Promise.all(names.map((name) => this.book.get(name)));
    const diagram = this.newDiagram();
    for (const series of list) this.place(series, diagram);
  }

  get names(): string[] {
    return this.diagrams.flatMap((diagram) => diagram.curves.map((curve) => curve.series.name));
  }
  values(name: string): Series | null {
    return this.find(name)?.series ?? null;
  }
  show(on: boolean): void {
    this.element.hidden = !on;
    if (on) this.drawAll();
  }

  get isShown(): boolean {
    return !this.element.hidden;
  }

  private get whole(): Span {
    const {start, end} = this.app.clock;
    return {lo: start, hi: end > start ? end : start + 1};
  }
  private find(name: string): Curve | null {
    for (const diagram of this.diagrams)
      for (const curve of diagram.curves) if (curve.series.name === name) return curve;
    return null;
  }

  private place(series: Series, given?: Diagram): void {
    const diagram =
      given ?? this.diagrams.find((d) => d.curves[0]?.series.unit === series.unit) ?? this.newDiagram();
    const used = diagram.curves.map((curve) => curve.color);
    const color = CURVE_COLORS.find((c) => !used.includes(c)) ?? CURVE_COLORS[diagram.curves.length % 8];
    const value = el("span", {className: "value"});
    diagram.curves.push({series, color, value});
    const dot = el("i");
    dot.style.background = color;
    diagram.legend.append(
      el(
        "span",
        {className: "curve", data: {curve: series.name}},
        dot,
        el("span", {className: "name", title: series.name}, series.name),
        value,
        el("span", {className: "unit"}, series.unit),
        el(
          "button",
          {
            className: "icon",
            title: `Remove ${series.name}`,
            label: `remove ${series.name}`,
            onclick: () => this.remove(series.name),
          },
          icon("close"),
        ),
      ),
    );
    this.show(true);
    this.draw(diagram);
    this.mark();
  }

  private remove(name: string): void {
    for (const diagram of [...this.diagrams]) {
      diagram.curves = diagram.curves.filter((curve) => curve.series.name !== name);
      diagram.legend.querySelector(`[data-curve="${CSS.escape(name)}"]`)?.remove();
      if (!diagram.curves.length) {
        diagram.element.remove();
        this.diagrams.splice(this.diagrams.indexOf(diagram), 1);
      }
    }
    if (!this.diagrams.length) this.show(false);
    this.drawAll();
    this.mark();
  }
  clear(): void {
    for (const name of this.names) this.remove(name);
    this.show(false);
  }

  /** Marks the numbers in the page that are plotted. */
  private mark(): void {
    const names = new Set(this.names);
    for (const number of document.querySelectorAll<HTMLElement>("[data-series]"))
      number.classList.toggle("plotted", names.has(number.dataset.series ?? ""));
  }

  private newDiagram(): Diagram {
    const area = el("div", {className: "chart"}),
      legend = el("div", {className: "legend"});
    const logarithmic = el("button", {className: "toggle small", title: "Logarithmic axis"}, "log");
    const element = el(
      "div",
      {className: "diagram"},
      el("div", {className: "head"}, legend, logarithmic),
      area,
    );
    const diagram: Diagram = {
      element,
      area,
      legend,
      curves: [],
      log: false,
      chart: null,
      cursor: svg("line", {class: "cursor"}),
    };
    logarithmic.setAttribute("aria-pressed", "false");
    logarithmic.onclick = () => {
      diagram.log = !diagram.log;
      logarithmic.setAttribute("aria-pressed", String(diagram.log));
      this.draw(diagram);
    };
    this.listen(diagram);
    this.diagrams.push(diagram);
    this.strip.append(element);
    this.drawAll();
    return diagram;
  }

  private listen(diagram: Diagram): void {
    const {area} = diagram;
    const timeAt = (event: MouseEvent): number => {
      const {left, right} = diagram.chart!.plotted,
        box = area.getBoundingClientRect();
      return (
        this.range.lo + ((event.clientX - box.left - left) / (right - left)) * (this.range.hi - this.range.lo)
      );
    };
    const go = (event: PointerEvent): void => {
      const t = timeAt(event);
      this.app.seek(event.altKey ? t : this.app.clock.snap(t)).catch((error) => this.app.report(error));
    };
    area.onpointerdown = (event) => {
      if (event.button !== 0) return;
      this.app.clock.pause();
      area.setPointerCapture(event.pointerId);
      go(event);
    };
    area.onpointermove = (event) => {
      if (area.hasPointerCapture(event.pointerId)) go(event);
    };
    area.ondblclick = () => this.zoom(this.whole);
    area.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const {lo, hi} = this.range,
          move = ((hi - lo) * event.deltaX) / 500;
        const t = timeAt(event),
          factor = Math.exp(event.deltaY / 400);
        this.zoom({lo: t - (t - lo) * factor + move, hi: t + (hi - t) * factor + move});
      },
      {passive: false},
    );
  }

  private zoom(range: Span): void {
    const whole = this.whole,
      LEAST = 1e-6; // s
    const lo = Math.max(whole.lo, range.lo),
      hi = Math.min(whole.hi, range.hi);
    if (hi - lo < LEAST) return;
    this.range = {lo, hi};
    this.drawAll();
  }

  private drawAll(): void {
    if (this.element.hidden) return;
    for (const diagram of this.diagrams) this.draw(diagram);
  }
  private draw(diagram: Diagram): void {
    const width = diagram.area.clientWidth,
      height = diagram.area.clientHeight;
    if (width < 80 || height < 40) return;
    diagram.chart = drawChart(diagram.curves, {
      width,
      height,
      range: this.range,
      log: diagram.log,
      everyPoint: false,
      paper: false,
    });
    diagram.chart.element.append(diagram.cursor);
    diagram.area.replaceChildren(diagram.chart.element);
    this.moveCursor();
  }

  private moveCursor(): void {
    const t = this.app.clock.time.value;
    for (const {chart, cursor, curves} of this.diagrams) {
      if (!chart) continue;
      const {left, right, top, bottom} = chart.plotted;
      const part = (t - this.range.lo) / (this.range.hi - this.range.lo),
        x = String(left + part * (right - left));
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      cursor.setAttribute("y1", String(top));
      cursor.setAttribute("y2", String(bottom));
      cursor.style.display = part >= 0 && part <= 1 ? "" : "none";
      for (const {series, value} of curves) value.textContent = formatNumber(valueAt(series, t));
    }
  }

  private saveCsv(): void {
    const list = this.diagrams.flatMap((diagram) => diagram.curves.map((curve) => curve.series));
    download(`${this.app.recording.manifest.scene}.csv`, toCsv(list), "text/csv");
  }
  private saveSvg(): void {
    download(`${this.app.recording.manifest.scene}.svg`, this.toSvg(), "image/svg+xml");
  }

  /** All diagrams, one below the other, with every point. */
  toSvg(): string {
    const width = 900,
      height = 300,
      parts = this.diagrams.map(({curves, log}, i) => {
        const {element} = drawChart(curves, {
          width,
          height,
          range: this.range,
          log,
          everyPoint: true,
          paper: true,
        });
        element.setAttribute("y", String(i * height));
        return element;
      });
    const all = svg(
      "svg",
      {
        xmlns: "http://www.w3.org/2000/svg",
        width,
        height: height * parts.length,
        viewBox: `0 0 ${width} ${height * parts.length}`,
      },
      ...parts,
    );
    return new XMLSerializer().serializeToString(all);
  }
}

/** The value at the last time not after t. */
function valueAt({t: times, y}: Series, t: number): number | null {
  let lo = 0,
    hi = times.length;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (times[middle] <= t + 1e-9) lo = middle + 1;
    else hi = middle;
  }
  // A recording that ends earlier has no values any more.
  const step = times.length > 1 ? times[times.length - 1] - times[times.length - 2] : Infinity;
  if (lo === times.length && t > times[lo - 1] + step + 1e-9) return null;
  return lo > 0 ? y[lo - 1] : null;
}
