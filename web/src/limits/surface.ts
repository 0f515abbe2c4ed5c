// The surface f = 0 of a function of three numbers, as triangles ("surface nets"): a grid is laid over a box;
// each cell in which f changes its sign gets one vertex, in the middle of where its edges cross f = 0; each
// grid edge that crosses gives a square between the four cells around it.
import type {Vec3} from "../math/vector";

export interface Surface {
  positions: Float32Array;
  normals: Float32Array;
  indices: Uint32Array;
}

export interface Box {
  lo: Vec3;
  hi: Vec3;
}

/** f > 0 inside. `cells`: along each side of the box. */
export function extractSurface(f: (r: Vec3) => number, {lo, hi}: Box, cells: number): Surface {
  const n = cells + 1,
    step = [0, 1, 2].map((i) => (hi[i] - lo[i]) / cells);
  const at = (i: number, j: number, k: number): Vec3 => [
    lo[0] + i * step[0],
    lo[1] + j * step[1],
    lo[2] + k * step[2],
  ];
  const index = (i: number, j: number, k: number): number => i + n * (j + n * k);
  const values = new Float64Array(n * n * n);
  for (let k = 0; k < n; ++k)
    for (let j = 0; j < n; ++j) for (let i = 0; i < n; ++i) values[index(i, j, k)] = f(at(i, j, k));

  const vertexOf = new Int32Array(n * n * n).fill(-1),
    positions: number[] = [];
  for (let k = 0; k < cells; ++k)
    for (let j = 0; j < cells; ++j)
      for (let i = 0; i < cells; ++i) {
        const sum: Vec3 = [0, 0, 0];
        let crossings = 0;
        for (const [[a, b, c], axis] of EDGES) {
          const u = values[index(i + a, j + b, k + c)];
          const v =
            values[
              index(i + a + (axis === 0 ? 1 : 0), j + b + (axis === 1 ? 1 : 0), k + c + (axis === 2 ? 1 : 0))
            ];
          if (u > 0 === v > 0) continue;
          const p = at(i + a, j + b, k + c);
          p[axis] += (step[axis] * u) / (u - v);
          for (let m = 0; m < 3; ++m) sum[m] += p[m];
          ++crossings;
        }
        if (!crossings) continue;
        vertexOf[index(i, j, k)] = positions.length / 3;
        positions.push(sum[0] / crossings, sum[1] / crossings, sum[2] / crossings);
      }

  const indices: number[] = [];
  for (let k = 0; k < cells; ++k)
    for (let j = 0; j < cells; ++j)
      for (let i = 0; i < cells; ++i)
        for (let axis = 0; axis < 3; ++axis) {
          const here = [i, j, k],
            inside = values[index(i, j, k)] > 0;
          const next = [...here] as Vec3;
          ++next[axis];
          if (inside === values[index(next[0], next[1], next[2])] > 0) continue;
          const u = (axis + 1) % 3,
            v = (axis + 2) % 3;
          if (here[u] === 0 || here[v] === 0) continue;
          const corner = (du: number, dv: number): number => {
            const c = [...here] as Vec3;
            c[u] -= du;
            c[v] -= dv;
            return vertexOf[index(c[0], c[1], c[2])];
          };
          const [a, b, c, d] = [corner(1, 1), corner(0, 1), corner(0, 0), corner(1, 0)];
          if (Math.min(a, b, c, d) < 0) continue;
          if (inside) indices.push(a, b, c, a, c, d);
          else indices.push(a, c, b, a, d, c);
        }
  return {
    positions: new Float32Array(positions),
    normals: normalsOf(f, positions, Math.min(...step)),
    indices: new Uint32Array(indices),
  };
}

/** The twelve edges of a cell: where they begin, and their axis. */
const EDGES: [Vec3, number][] = [0, 1, 2].flatMap((axis) =>
  [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ].map(([u, v]): [Vec3, number] => {
    const from: Vec3 = [0, 0, 0];
    from[(axis + 1) % 3] = u;
    from[(axis + 2) % 3] = v;
    return [from, axis];
  }),
);

/** Outward normals: against the gradient of f. */
function normalsOf(f: (r: Vec3) => number, positions: number[], step: number): Float32Array {
  const normals = new Float32Array(positions.length),
    h = step * 0.5;
  for (let o = 0; o < positions.length; o += 3) {
    const g: Vec3 = [0, 0, 0];
    for (let axis = 0; axis < 3; ++axis) {
      const p: Vec3 = [positions[o], positions[o + 1], positions[o + 2]],
        q: Vec3 = [...p];
      p[axis] += h;
      q[axis] -= h;
      g[axis] = f(q) - f(p);
    }
    const size = Math.hypot(...g) || 1;
    for (let axis = 0; axis < 3; ++axis) normals[o + axis] = g[axis] / size;
  }
  return normals;
}

/** A box around where f > 0 in the cube of half side `reach`, with a margin. Null: there is none. */
export function findBox(f: (r: Vec3) => number, reach: number): Box | null {
  const CELLS = 28,
    step = (2 * reach) / CELLS;
  const lo: Vec3 = [Infinity, Infinity, Infinity],
    hi: Vec3 = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k <= CELLS; ++k)
    for (let j = 0; j <= CELLS; ++j)
      for (let i = 0; i <= CELLS; ++i) {
        const r: Vec3 = [i * step - reach, j * step - reach, k * step - reach];
        // A set thinner than the grid has no point inside; f grows by at most about one per radian.
        if (!(f(r) > -step)) continue;
        for (let m = 0; m < 3; ++m) {
          lo[m] = Math.min(lo[m], r[m]);
          hi[m] = Math.max(hi[m], r[m]);
        }
      }
  if (lo[0] > hi[0]) return null;
  const margin = step * 1.01;
  return {
    lo: [lo[0] - margin, lo[1] - margin, lo[2] - margin],
    hi: [hi[0] + margin, hi[1] + margin, hi[2] + margin],
  };
}
