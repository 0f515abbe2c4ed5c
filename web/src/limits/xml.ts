// Limits as attributes of a joint's element, angles in degrees.
import type {Joint, Limits} from "../data/manifest";
import {toDegrees} from "../ui/format";

/** Attributes of the limits and the comfort zone that a joint has. */
export function limitAttributes(limits: Limits, comfort: Limits): Map<string, string> {
  const attributes = new Map<string, string>();
  const angles = (list: number[]): string => list.map((v) => `${degrees(v)}deg`).join(" ");
  const put = (name: string, list: number[] | undefined): void => {
    if (list?.length) attributes.set(name, angles(list));
  };
  put("limits", limits.angle);
  if (limits.travel) attributes.set("limits", limits.travel.map((v) => `${v}m`).join(" "));
  put("twist", limits.twist);
  put("swing", limits.swing);
  put("limits-x", limits.x);
  put("limits-y", limits.y);
  put("limits-z", limits.z);
  put("comfort", [...(comfort.angle ?? []), ...(comfort.twist ?? []), ...(comfort.swing ?? [])]);
  return attributes;
}

/** Degrees with as many digits as an edited number has, without round-off of the conversion. */
function degrees(angle: number): string {
  return String(Number(toDegrees(angle).toPrecision(10)));
}

/** The element with its attributes replaced or added. */
export function withAttributes(xml: string, attributes: Map<string, string>): string {
  const tag = /^\s*<[^\s/>]+(?:\s+[^\s=/>]+\s*=\s*(?:"[^"]*"|'[^']*'))*/.exec(xml);
  if (!tag) return xml;
  let text = tag[0];
  for (const [name, value] of attributes) {
    const old = new RegExp(`(\\s)${name}\\s*=\\s*(?:"[^"]*"|'[^']*')`);
    text = old.test(text) ? text.replace(old, `$1${name}="${value}"`) : `${text} ${name}="${value}"`;
  }
  return text + xml.slice(tag[0].length);
}

/** The same as options of the command line. */
export function asSettings(joint: Joint, attributes: Map<string, string>): string {
  return [...attributes].map(([name, value]) => `--set '${joint.name}.${name}=${value}'`).join(" ");
}
