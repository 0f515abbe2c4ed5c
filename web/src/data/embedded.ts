// Parts in the page itself:
//   <script type="application/octet-stream" id="part:0/frames/0" data-encoding="deflate">BASE64</script>
// data-encoding lists what was done to the bytes, in this order, separated by blanks (packing.ts):
//   delta:WORDS   each 32-bit word less the word WORDS before it, modulo 2^32
//   shuffle:WIDTH all first bytes of numbers of WIDTH bytes, then all second bytes, ...
//   deflate       compressed, zlib format (RFC 1950)
import {unpack} from "./packing";
import type {DataSource} from "./source";

const PREFIX = "part:";

export class EmbeddedSource implements DataSource {
  readonly save = null;

  constructor(private readonly document: Document) {}

  static isIn(document: Document): boolean {
    return document.querySelector(`script[id^="${PREFIX}"]`) !== null;
  }

  async read(part: string): Promise<ArrayBuffer> {
    const element = this.document.getElementById(PREFIX + part);
    if (!element) throw new Error(`the page has no part ${part}`);
    return unpack(fromBase64(element.textContent ?? ""), element.dataset.encoding ?? "", part);
  }
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}
