// Writes encoded pictures as a WebM file: one track, a cluster from each key picture, an index at the end.

interface Picture {
  data: Uint8Array;
  time: number; // ms
  key: boolean;
}

function joined(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function number(value: number, bytes: number): Uint8Array {
  return Uint8Array.from({length: bytes}, (_, i) => Math.floor(value / 256 ** (bytes - 1 - i)) % 256);
}

/** An element: its id, its size in eight bytes, its content. */
function element(id: number, ...content: Uint8Array[]): Uint8Array {
  const body = joined(content),
    idBytes = id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1;
  const size = number(body.length, 8);
  size[0] = 1;
  return joined([number(id, idBytes), size, body]);
}
const whole = (id: number, value: number): Uint8Array => element(id, number(value, 6));
const text = (id: number, value: string): Uint8Array => element(id, new TextEncoder().encode(value));
function real(id: number, value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return element(id, bytes);
}

export class WebmFile {
  private readonly pictures: Picture[] = [];

  /** `codec`: a name of Matroska, V_VP8 or V_VP9. */
  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly fps: number,
    private readonly codec: string,
  ) {}

  add(data: Uint8Array, key: boolean): void {
    this.pictures.push({data, key, time: Math.round((this.pictures.length * 1000) / this.fps)});
  }
  get count(): number {
    return this.pictures.length;
  }

  finish(): Uint8Array {
    const head = element(
      0x1a45dfa3,
      whole(0x4286, 1),
      whole(0x42f7, 1),
      whole(0x42f2, 4),
      whole(0x42f3, 8),
      text(0x4282, "webm"),
      whole(0x4287, 2),
      whole(0x4285, 2),
    );
    const about = element(
      0x1549a966,
      whole(0x2ad7b1, 1e6), // times are in ms
      real(0x4489, (this.pictures.length * 1000) / this.fps),
      text(0x4d80, "tumble"),
      text(0x5741, "tumble"),
    );
    const video = element(0xe0, whole(0xb0, this.width), whole(0xba, this.height));
    const track = element(
      0xae,
      whole(0xd7, 1),
      whole(0x73c5, 1),
      whole(0x83, 1),
      text(0x86, this.codec),
      whole(0x23e383, Math.round(1e9 / this.fps)),
      video,
    );
    const parts = [about, element(0x1654ae6b, track)],
      cues: Uint8Array[] = [];
    let at = joined(parts).length;
    for (let i = 0; i < this.pictures.length;) {
      const first = this.pictures[i].time,
        blocks: Uint8Array[] = [];
      do {
        const {data, time, key} = this.pictures[i++];
        blocks.push(
          element(0xa3, Uint8Array.of(0x81), number(time - first, 2), Uint8Array.of(key ? 0x80 : 0), data),
        );
      } while (i < this.pictures.length && !this.pictures[i].key);
      cues.push(element(0xbb, whole(0xb3, first), element(0xb7, whole(0xf7, 1), whole(0xf1, at))));
      const cluster = element(0x1f43b675, whole(0xe7, first), ...blocks);
      at += cluster.length;
      parts.push(cluster);
    }
    return joined([head, element(0x18538067, ...parts, element(0x1c53bb6b, ...cues))]);
  }
}
