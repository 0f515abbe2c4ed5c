// Series as CSV. Series with the same times share rows.
import type {Series} from "./series";

export function toCsv(list: Series[]): string {
  if (!list.length) return "";
  const shared = list.every(
    ({t}) =>
      t === list[0].t || (t.length === list[0].t.length && t.every((time, i) => time === list[0].t[i])),
  );
  const head = (s: Series): string => quoted(s.unit ? `${s.name} (${s.unit})` : s.name);
  const lines: string[] = [];
  if (shared) {
    lines.push(["t (s)", ...list.map(head)].join(","));
    list[0].t.forEach((t, i) => lines.push([t, ...list.map(({y}) => y[i])].join(",")));
  } else {
    lines.push(list.map((s) => `${quoted(`t of ${s.name} (s)`)},${head(s)}`).join(","));
    const rows = Math.max(...list.map(({t}) => t.length));
    for (let i = 0; i < rows; ++i)
      lines.push(list.map(({t, y}) => (i < t.length ? `${t[i]},${y[i]}` : ",")).join(","));
  }
  return `${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
