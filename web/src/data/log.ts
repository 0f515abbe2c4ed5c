// The log: one row a step, stored column after column.
import type {Manifest} from "./manifest";

export interface LogColumn {
  name: string;
  unit: string;
  values: Float64Array;
}

export class Log {
  readonly columns: LogColumn[];
  readonly times: Float64Array;

  constructor(manifest: Manifest, data: ArrayBuffer) {
    const {rows, columns} = manifest.log;
    const expected = rows * columns.length * 8;
    if (data.byteLength !== expected)
      throw new Error(`log has ${data.byteLength} bytes, expected ${expected}`);
    this.columns = columns.map((column, i) => ({
      ...column,
      values: new Float64Array(data, i * rows * 8, rows),
    }));
    this.times = this.column("t")?.values ?? new Float64Array(0);
  }

  get rows(): number {
    return this.times.length;
  }
  column(name: string): LogColumn | null {
    return this.columns.find((column) => column.name === name) ?? null;
  }

  /** The last row at or before t; -1 if there is none. */
  rowAt(t: number): number {
    // A time typed or computed as k/fps may differ from the logged one in its last digits.
    const limit = t + 1e-9 * Math.max(1, Math.abs(t));
    let lo = 0,
      hi = this.rows;
    while (lo < hi) {
      const middle = (lo + hi) >> 1;
      if (this.times[middle] <= limit) lo = middle + 1;
      else hi = middle;
    }
    return lo - 1;
  }

  /** Times at which the count of impacts rises. */
  impactTimes(): number[] {
    const impacts = this.column("impacts");
    const times: number[] = [];
    if (impacts)
      for (let i = 1; i < this.rows; ++i)
        if (impacts.values[i] > impacts.values[i - 1]) times.push(this.times[i]);
    return times;
  }
}
