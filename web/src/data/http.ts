// Parts from the server that sent the page, by addresses relative to it: the token is in the path.
import type {DataSource} from "./source";

export class HttpSource implements DataSource {
  constructor(private readonly base: string) {}

  async read(part: string): Promise<ArrayBuffer> {
    return readBody(await this.request(part));
  }

  readonly save = async (): Promise<Blob> => (await this.request("page.html")).blob();

  private async request(path: string): Promise<Response> {
    let answer: Response;
    try {
      answer = await fetch(new URL(path, this.base), {cache: "no-store"});
    } catch {
      throw new Error(`the server does not answer (${path}). Is 'tumble view' still running?`);
    }
    if (!answer.ok) throw new Error(`the server refused ${path}: ${answer.status} ${answer.statusText}`);
    return answer;
  }
}

/**
 * The bytes of an answer, read into one buffer of the announced size: pieces on the way would be garbage that
 * stays in memory for long.
 */
async function readBody(answer: Response): Promise<ArrayBuffer> {
  const size = Number(answer.headers.get("Content-Length"));
  if (!(size > 0) || !answer.body) return answer.arrayBuffer();
  const reader = answer.body.getReader({mode: "byob"});
  let view = new Uint8Array(size);
  for (let filled = 0; filled < size;) {
    const {done, value} = await reader.read(view.subarray(filled));
    if (done) throw new Error(`an answer ended after ${filled} of ${size} bytes`);
    filled += value.byteLength;
    view = new Uint8Array(value.buffer, 0, size);
  }
  const {done} = await reader.read(new Uint8Array(1));
  if (!done) throw new Error(`an answer is longer than its ${size} bytes`);
  return view.buffer as ArrayBuffer;
}
