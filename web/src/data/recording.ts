// One recording: its manifest, log, and what the bodies do at any time.
import {BlockCache, type Block} from "./blocks";
import {ContactBlock, type Contact} from "./contacts";
import {FrameBlock, FrameLayout, STATE_NUMBERS, interpolate, locate} from "./frames";
import {Log} from "./log";
import {firstTime, lastTime, parseManifest, timeOfFrame, type Manifest} from "./manifest";
import {ReactionBlock, type Reaction} from "./reactions";
import {readText, type DataSource} from "./source";

/** Bytes of decoded blocks that stay in memory, for frames, contacts and reactions each. */
const CACHE_BYTES = 48 * 1024 * 1024;

/** Blocks that are read ahead, at most: while the run plays, and while all of it is read for a plot. */
const MOST_AHEAD = 16;
const SCAN_AHEAD = 3;

/** What a picture of a time needs. */
export interface Moment {
  t: number;
  /** The frame at t, or the one after it: contacts and reactions are those of the time before a frame. */
  frame: number;
  exact: boolean; // t is the time of the frame
  numbers: Float64Array; // STATE_NUMBERS for each body; fixed bodies have zeros
  contacts: Contact[] | null; // null: not asked for
  reactions: Reaction[] | null;
}

export interface Needs {
  contacts: boolean;
  reactions: boolean;
}

export class Recording {
  readonly layout: FrameLayout;
  readonly start: number;
  readonly end: number;
  private readonly frames: BlockCache<FrameBlock>;
  private readonly contactBlocks: BlockCache<ContactBlock>;
  private readonly reactionBlocks: BlockCache<ReactionBlock>;
  private readonly before: Float64Array;
  private readonly after: Float64Array;

  private constructor(
    private readonly source: DataSource,
    readonly index: number,
    readonly manifest: Manifest,
    readonly log: Log,
  ) {
    const layout = (this.layout = new FrameLayout(manifest));
    this.start = firstTime(manifest);
    this.end = lastTime(manifest);
    const read = (name: string): Promise<ArrayBuffer> => source.read(`${index}/${name}`);
    this.frames = new BlockCache(
      layout.blocks,
      async (b) => new FrameBlock(layout, b, await read(`frames/${b}`)),
      CACHE_BYTES,
    );
    this.contactBlocks = new BlockCache(
      layout.blocks,
      async (b) => new ContactBlock(b, await read(`contacts/${b}`), manifest.fps),
      CACHE_BYTES,
    );
    this.reactionBlocks = new BlockCache(
      layout.blocks,
      async (b) =>
        new ReactionBlock(
          b * manifest.frames_per_block,
          layout.framesIn(b),
          manifest.joints.length,
          b,
          await read(`reactions/${b}`),
        ),
      CACHE_BYTES,
    );
    this.before = new Float64Array(manifest.bodies.length * STATE_NUMBERS);
    this.after = new Float64Array(this.before.length);
  }

  static async open(source: DataSource, index: number): Promise<Recording> {
    const part = `${index}/run.json`;
    const manifest = parseManifest(await readText(source, part), part);
    const empty = manifest.log.rows === 0;
    return new Recording(
      source,
      index,
      manifest,
      new Log(manifest, empty ? new ArrayBuffer(0) : await source.read(`${index}/log`)),
    );
  }

  readScene(): Promise<ArrayBuffer> {
    return this.source.read(`${this.index}/scene.glb`);
  }

  timeOf(frame: number): number {
    return timeOfFrame(this.manifest, frame);
  }
  bodyIndex(name: string): number {
    return this.manifest.bodies.findIndex((body) => body.name === name);
  }
  jointIndex(name: string): number {
    return this.manifest.joints.findIndex((joint) => joint.name === name);
  }

  /** The moment t if all it needs is in memory, else null. */
  momentNow(t: number, needs: Needs): Moment | null {
    const {frame, fraction} = locate(this.manifest, t),
      last = fraction > 0 ? frame + 1 : frame;
    const a = this.frames.peek(this.layout.blockOf(frame)),
      b = this.frames.peek(this.layout.blockOf(last));
    const block = this.layout.blockOf(last);
    const contacts = this.manifest.contacts && needs.contacts ? this.contactBlocks.peek(block) : undefined;
    const reactions =
      this.manifest.reactions && needs.reactions ? this.reactionBlocks.peek(block) : undefined;
    if (!a || !b || contacts === null || reactions === null) return null;

    const numbers = new Float64Array(this.before.length);
    if (fraction === 0) {
      a.write(frame, numbers);
    } else {
      a.write(frame, this.before);
      b.write(last, this.after);
      interpolate(this.before, this.after, fraction, this.layout.moving, numbers);
    }
    return {
      t,
      frame: last,
      exact: fraction === 0,
      numbers,
      contacts: contacts ? contacts.at(last) : needs.contacts ? [] : null,
      reactions: reactions ? this.manifest.joints.map((_, joint) => reactions.at(last, joint)) : null,
    };
  }

  async moment(t: number, needs: Needs): Promise<Moment> {
    const {frame, fraction} = locate(this.manifest, t),
      last = fraction > 0 ? frame + 1 : frame;
    for (;;) {
      const found = this.momentNow(t, needs);
      if (found) return found;
      const block = this.layout.blockOf(last);
      await Promise.all([
        this.frames.get(this.layout.blockOf(frame)),
        this.frames.get(block),
        this.manifest.contacts && needs.contacts ? this.contactBlocks.get(block) : null,
        this.manifest.reactions && needs.reactions ? this.reactionBlocks.get(block) : null,
      ]);
    }
  }

  /** Starts to read what playback will need after t, `ahead` seconds of the run. */
  prefetch(t: number, needs: Needs, ahead: number): void {
    const first = this.layout.blockOf(locate(this.manifest, t).frame) + 1;
    const last = Math.max(first, this.layout.blockOf(locate(this.manifest, t + ahead).frame));
    for (let block = first; block <= Math.min(last, first + MOST_AHEAD - 1); ++block) {
      this.frames.prefetch(block);
      if (this.manifest.contacts && needs.contacts) this.contactBlocks.prefetch(block);
      if (this.manifest.reactions && needs.reactions) this.reactionBlocks.prefetch(block);
    }
  }

  /** Calls `visit` for each frame from `first` to `last`, block after block. */
  async eachFrame(
    visit: (block: FrameBlock, frame: number) => void,
    first = 0,
    last = this.manifest.frames - 1,
  ): Promise<void> {
    await this.eachOf(this.frames, this.layout.blockOf(first), this.layout.blockOf(last), (block) => {
      const end = Math.min(last, block.first + block.count - 1);
      for (let frame = Math.max(first, block.first); frame <= end; ++frame) visit(block, frame);
    });
  }
  async eachContactBlock(visit: (block: ContactBlock, first: number, count: number) => void): Promise<void> {
    await this.eachOf(this.contactBlocks, 0, this.layout.blocks - 1, (block, b) =>
      visit(block, b * this.manifest.frames_per_block, this.layout.framesIn(b)),
    );
  }
  async eachReactionBlock(
    visit: (block: ReactionBlock, first: number, count: number) => void,
  ): Promise<void> {
    await this.eachOf(this.reactionBlocks, 0, this.layout.blocks - 1, (block, b) =>
      visit(block, b * this.manifest.frames_per_block, this.layout.framesIn(b)),
    );
  }

  /** Visits blocks in order; the next ones are read meanwhile. */
  private async eachOf<T extends Block>(
    cache: BlockCache<T>,
    first: number,
    last: number,
    visit: (block: T, index: number) => void,
  ): Promise<void> {
    for (let b = first; b <= last; ++b) {
      for (let next = b + 1; next <= Math.min(last, b + SCAN_AHEAD); ++next) cache.prefetch(next);
      visit(await cache.get(b), b);
    }
  }
}
