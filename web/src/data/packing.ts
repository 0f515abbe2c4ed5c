// Undoes the encodings of an embedded part (embedded.ts), the last one first.

export async function unpack(
  bytes: Uint8Array<ArrayBuffer>,
  encoding: string,
  part: string,
): Promise<ArrayBuffer> {
  let data = bytes;
  for (const step of encoding.split(/\s+/).filter(Boolean).reverse()) {
    const [name, argument] = step.split(":");
    const number = Number(argument);
    if (name === "deflate") data = await inflate(data, part);
    else if (name === "shuffle" && number > 0) data = unshuffle(data, number);
    else if (name === "delta" && number > 0) data = undoDelta(data, number);
    else throw new Error(`part ${part} has the unknown encoding ${step}`);
  }
  return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
}

async function inflate(bytes: Uint8Array<ArrayBuffer>, part: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new Error(`part ${part} is damaged: it cannot be decompressed`);
  }
}

/** Byte planes back to numbers of `width` bytes. A rest that is no whole number stays at the end. */
export function unshuffle(bytes: Uint8Array<ArrayBuffer>, width: number): Uint8Array<ArrayBuffer> {
  const count = Math.floor(bytes.length / width),
    out = new Uint8Array(bytes.length);
  for (let plane = 0; plane < width; ++plane)
    for (let i = 0; i < count; ++i) out[i * width + plane] = bytes[plane * count + i];
  out.set(bytes.subarray(count * width), count * width);
  return out;
}

/** Differences of 32-bit words at distance `stride` back to words. */
export function undoDelta(bytes: Uint8Array<ArrayBuffer>, stride: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    count = bytes.length >> 2;
  for (let i = stride; i < count; ++i)
    view.setUint32(4 * i, (view.getUint32(4 * i, true) + view.getUint32(4 * (i - stride), true)) >>> 0, true);
  return bytes;
}
