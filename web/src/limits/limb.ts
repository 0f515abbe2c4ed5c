// Poses of a limb: what hangs on a joint, turned about it.
import type {App} from "../app";
import type {Joint} from "../data/manifest";
import type {Vec3} from "../math/vector";
import {add, conjugate, fromRotationVector, multiply, rotate, sub} from "../math/vector";
import {stateOf} from "../plots/series";
import type {Pose} from "../scene/model";

/** The bodies beyond a joint, seen from `from`: all that move with `to`. In a loop, `to` alone. */
export function limbOf(app: App, joint: Joint, from: number, to: number): number[] {
  const {bodies, joints} = app.recording.manifest,
    found = new Set([to]),
    queue = [to];
  for (let body = queue.pop(); body !== undefined; body = queue.pop())
    for (const other of joints) {
      if (other === joint || (other.a !== body && other.b !== body)) continue;
      const next = other.a === body ? other.b : other.a;
      if (next === from && from >= 0) return [to];
      if (next < 0 || bodies[next].fixed || found.has(next)) continue;
      found.add(next);
      queue.push(next);
    }
  return [...found];
}

/** The poses of the limb if the joint's rotation vector is r and everything else stands as the run has it. */
export function poseLimb(app: App, joint: Joint, r: Vec3): Map<number, Pose> {
  const {manifest, layout} = app.recording,
    numbers = app.current!.moment.numbers;
  const poseInRun = (body: number): Pose => {
    if (body < 0) return {position: [0, 0, 0], rotation: [1, 0, 0, 0]};
    if (layout.slotOf[body] < 0) return app.model.poseOf(body);
    const {x, q} = stateOf(numbers, body);
    return {position: x, rotation: q};
  };
  const pointOf = (body: number, point: Vec3): Vec3 => {
    if (body < 0) return point;
    const {position, rotation} = poseInRun(body);
    return add(position, rotate(rotation, sub(point, manifest.bodies[body].center)));
  };
  const moves = (body: number): boolean => body >= 0 && layout.slotOf[body] >= 0;
  const turnsB = moves(joint.b),
    [still, turned] = turnsB ? [joint.a, joint.b] : [joint.b, joint.a];
  if (!moves(turned)) return new Map();
  const d = fromRotationVector(r);
  const rotation = turnsB
    ? multiply(multiply(multiply(poseInRun(still).rotation, joint.frame_a), d), conjugate(joint.frame_b))
    : multiply(
        multiply(multiply(poseInRun(still).rotation, joint.frame_b), conjugate(d)),
        conjugate(joint.frame_a),
      );
  const pivot = turnsB ? pointOf(joint.a, joint.point_a) : pointOf(joint.b, joint.point_b);
  const own = turnsB ? pointOf(joint.b, joint.point_b) : pointOf(joint.a, joint.point_a);
  const change = multiply(rotation, conjugate(poseInRun(turned).rotation));
  return new Map(
    limbOf(app, joint, still, turned).map((body) => {
      const {position, rotation: q} = poseInRun(body);
      return [
        body,
        {position: add(pivot, rotate(change, sub(position, own))), rotation: multiply(change, q)},
      ];
    }),
  );
}
