// A shown number that is plotted when one clicks it.
import {el} from "../ui/dom";
import {formatNumber} from "../ui/format";

export interface NumberField {
  element: HTMLElement;
  set(value: number | null): void;
}

/** What plots a name when its number is clicked. */
export type PlotByName = (name: string) => void;

/** A number with its unit. `series`: the name under which it is plotted; null: it cannot be. */
export function numberField(series: string | null, unit: string, plot: PlotByName): NumberField {
  const value = el("span", {className: "value"}, "–"),
    units = el("span", {className: "unit"}, unit);
  const element =
    series === null
      ? el("span", {className: "number"}, value, units)
      : el(
          "button",
          {className: "number", title: `Plot ${series}`, data: {series}, onclick: () => plot(series)},
          value,
          units,
        );
  let last: string | null = null;
  return {
    element,
    set(number: number | null): void {
      const text = formatNumber(number);
      if (text !== last) value.textContent = last = text;
    },
  };
}

/** A row of a panel: what it is, and its numbers. */
export function row(label: string, ...numbers: (HTMLElement | string)[]): HTMLElement {
  return el(
    "div",
    {className: "row"},
    el("span", {className: "name", title: label}, label),
    el("span", {className: "numbers"}, ...numbers),
  );
}

/** Three numbers below what they are. */
export function vectorRow(label: string, unit: string, numbers: HTMLElement[]): HTMLElement {
  return el(
    "div",
    {className: "vector"},
    el("span", {className: "name"}, label, el("span", {className: "unit"}, unit)),
    el("span", {className: "numbers"}, ...numbers),
  );
}
