// Reads the PNG files that Chromium writes: 8 bits, RGB or RGBA, not interlaced.
import {inflateSync} from "node:zlib";

export function readPng(file) {
  const width = file.readUInt32BE(16),
    height = file.readUInt32BE(20),
    channels = file[25] === 6 ? 4 : 3,
    data = [];
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at),
      type = file.toString("latin1", at + 4, at + 8);
    if (type === "IDAT") data.push(file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(data)),
    stride = width * channels,
    rgba = new Uint8Array(width * height * 4);
  const line = new Uint8Array(stride),
    above = new Uint8Array(stride);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; ++x) {
      const value = raw[y * (stride + 1) + 1 + x],
        a = x >= channels ? line[x - channels] : 0,
        b = above[x];
      const c = x >= channels ? above[x - channels] : 0;
      line[x] = value + [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter];
    }
    for (let x = 0; x < width; ++x)
      for (let n = 0; n < 4; ++n) rgba[4 * (y * width + x) + n] = n < channels ? line[x * channels + n] : 255;
    above.set(line);
  }
  return {width, height, rgba};
}

function paeth(a, b, c) {
  const p = a + b - c,
    da = Math.abs(p - a),
    db = Math.abs(p - b),
    dc = Math.abs(p - c);
  return da <= db && da <= dc ? a : db <= dc ? b : c;
}
