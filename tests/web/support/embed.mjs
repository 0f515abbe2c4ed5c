// A page in one file: parts as scripts, the bundle inline.
import {readFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {deflateSync} from "node:zlib";

const DIST = join(dirname(fileURLToPath(import.meta.url)), "../../../web/dist");

export function shuffle(bytes, width) {
  const count = Math.floor(bytes.length / width),
    out = Buffer.from(bytes);
  for (let i = 0; i < count; ++i)
    for (let plane = 0; plane < width; ++plane) out[plane * count + i] = bytes[i * width + plane];
  return out;
}
export function delta(bytes, stride) {
  const out = Buffer.from(bytes);
  for (let i = (bytes.length >> 2) - 1; i >= stride; --i)
    out.writeUInt32LE((bytes.readUInt32LE(4 * i) - bytes.readUInt32LE(4 * (i - stride))) >>> 0, 4 * i);
  return out;
}

/** `encodingOf(name)`: the encodings of a part, for example "delta:22 shuffle:4 deflate". */
export function embed(parts, encodingOf = () => "deflate") {
  const scripts = [...parts].map(([name, bytes]) => {
    const encoding = encodingOf(name);
    let data = bytes;
    for (const step of encoding.split(" ").filter(Boolean)) {
      const [kind, number] = step.split(":");
      data =
        kind === "deflate"
          ? deflateSync(data)
          : kind === "shuffle"
            ? shuffle(data, Number(number))
            : delta(data, Number(number));
    }
    return (
      `<script type="application/octet-stream" id="part:${name}" data-encoding="${encoding}">` +
      `${data.toString("base64")}</script>`
    );
  });
  const html = readFileSync(join(DIST, "page.html"), "utf8"),
    script = readFileSync(join(DIST, "page.js"), "utf8");
  // Functions, because "$" in replacements has a meaning.
  return html
    .replace("<!-- parts -->", () => scripts.join("\n"))
    .replace('<script src="page.js"></script>', () => `<script>${script}</script>`);
}
