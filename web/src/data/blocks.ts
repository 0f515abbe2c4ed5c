// Blocks of a part that are read when they are needed. The least recently used ones are dropped when all of
// them hold more than `capacity` bytes.

export interface Block {
  /** Size in memory. */
  readonly bytes: number;
}

/** A time between two blocks needs both. */
const ALWAYS_HELD = 2;

export class BlockCache<T extends Block> {
  private readonly held = new Map<number, T>(); // in order of use
  private readonly coming = new Map<number, Promise<T>>();
  private total = 0;

  constructor(
    private readonly count: number,
    private readonly load: (block: number) => Promise<T>,
    private readonly capacity: number,
  ) {}

  /** The block if it is in memory. */
  peek(block: number): T | null {
    const found = this.held.get(block);
    if (!found) return null;
    this.held.delete(block);
    this.held.set(block, found);
    return found;
  }

  async get(block: number): Promise<T> {
    const found = this.peek(block);
    if (found) return found;
    let coming = this.coming.get(block);
    if (!coming) {
      coming = this.load(block).then((value) => this.keep(block, value));
      this.coming.set(block, coming);
      const done = (): void => {
        this.coming.delete(block);
      };
      coming.then(done, done);
    }
    return coming;
  }

  /** Starts to read a block that will be needed soon. A failure shows when it is needed. */
  prefetch(block: number): void {
    if (block < 0 || block >= this.count || this.held.has(block)) return;
    this.get(block).catch(() => undefined);
  }

  private keep(block: number, value: T): T {
    this.held.set(block, value);
    this.total += value.bytes;
    for (const [oldest, dropped] of this.held) {
      if (this.total <= this.capacity || this.held.size <= ALWAYS_HELD || oldest === block) break;
      this.held.delete(oldest);
      this.total -= dropped.bytes;
    }
    return value;
  }
}
