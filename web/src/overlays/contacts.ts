// Contacts: an arrow along the normal, for the force on body a or on the one that moves. It is longer for a
// larger force and has the colour of the state.
import type {App, Shown} from "../app";
import type {Contact} from "../data/contacts";
import type {Vec3} from "../math/vector";
import {add, scale} from "../math/vector";
import type {Label} from "../scene/labels";
import {formatForce, formatShort} from "../ui/format";
import {IMPACT, SLIP, STICK} from "./colors";
import {Arrows, Dots} from "./marks";
import type {Overlay} from "./overlay";

const COLORS = {stick: STICK, slip: SLIP, impact: IMPACT};
const MOST_LABELS = 8;
const STANDARD_GRAVITY = 9.81; // m/s^2

export function contactOverlay(app: App): Overlay {
  const {manifest} = app.recording,
    unit = manifest.focus.radius;
  const arrows = new Arrows(unit * 0.006),
    dots = new Dots();
  arrows.object.add(dots.object);
  const mass = manifest.bodies.reduce((sum, body) => sum + (body.fixed ? 0 : (body.mass ?? 0)), 0);
  const weight = mass * STANDARD_GRAVITY || 1;

  /** From a force of nothing to half the size of the picture; half of that at half the weight of all. */
  const lengthOf = (force: number): number => {
    const part = Math.abs(force) / (0.5 * weight);
    return (0.5 * unit * part) / (1 + part);
  };

  /** Of the force on a; on b if a is fixed. */
  const directionOf = ({a, b, normal}: Contact): Vec3 =>
    manifest.bodies[a]?.fixed && !manifest.bodies[b]?.fixed ? scale(normal, -1) : normal;

  return {
    name: "contacts",
    label: "Contacts",
    key: "C",
    object: arrows.object,
    needs: {contacts: true},
    says: "points that pass on a force: its size, the gap, and whether they stick, slip or hit",
    update({moment}: Shown): Label[] {
      arrows.begin();
      dots.begin();
      const contacts = moment.contacts ?? [];
      for (const contact of contacts) {
        const color = COLORS[contact.state];
        dots.add(contact.point, unit * 0.009, color);
        arrows.add(contact.point, directionOf(contact), lengthOf(contact.force), color);
      }
      arrows.end();
      dots.end();
      return [...contacts]
        .sort((a, b) => b.force - a.force)
        .slice(0, MOST_LABELS)
        .map((contact) => ({
          at: add(contact.point, scale(directionOf(contact), lengthOf(contact.force))),
          text: `${formatForce(contact.force)} · ${formatShort(contact.gap * 1e6)} µm`,
          kind: contact.state,
        }));
    },
  };
}
