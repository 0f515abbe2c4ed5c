// Small helpers to build elements.

type Child = Node | string | null | undefined | false;
type Properties<K extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[K], "dataset" | "style">
> & {
  data?: Record<string, string>;
  label?: string; // aria-label
  role?: string;
};

/** A new element with properties, data-attributes and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties<K> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag),
    {data, label, role, ...rest} = properties;
  Object.assign(element, rest);
  for (const [key, value] of Object.entries(data ?? {})) element.dataset[key] = value;
  if (label) element.setAttribute("aria-label", label);
  if (role) element.setAttribute("role", role);
  for (const child of children) if (child) element.append(child);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** A new SVG element with attributes and children. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  for (const child of children) if (child) element.append(child);
  return element;
}

/** Offers a file to the user. */
export function download(name: string, content: Blob | string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], {type}) : content;
  const link = el("a", {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Copies text; works without permission for the clipboard, too. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", {value: text, className: "offscreen"});
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
