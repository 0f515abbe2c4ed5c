// A small server for tests: the page and parts of recordings under a token, with a strict content policy.
import {createServer} from "node:http";
import {readFile} from "node:fs/promises";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const DIST = join(dirname(fileURLToPath(import.meta.url)), "../../../web/dist");
export const TOKEN = "test-token";
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self' blob: data:; img-src 'self' blob: data:; " +
  "style-src 'self'";

/** Serves `parts` (name to bytes). `saved`: the bytes of page.html. Returns the address of the page. */
export async function serve(parts, saved = null) {
  const requests = [];
  const server = createServer(async (request, response) => {
    requests.push(request.url);
    const answer = (status, type, body) => {
      response.writeHead(status, {
        "Content-Length": Buffer.byteLength(body),
        "Content-Type": type,
        "Content-Security-Policy": POLICY,
      });
      response.end(body);
    };
    const prefix = `/${TOKEN}/`;
    if (!request.url.startsWith(prefix)) return answer(404, "text/plain", "not found");
    const name = decodeURIComponent(request.url.slice(prefix.length));
    if (name === "") return answer(200, "text/html", await readFile(join(DIST, "page.html")));
    if (name === "page.js") return answer(200, "text/javascript", await readFile(join(DIST, "page.js")));
    if (name === "page.html" && saved) return answer(200, "text/html", saved);
    const bytes = await (parts instanceof Map ? parts.get(name) : parts(name));
    return bytes ? answer(200, "application/octet-stream", bytes) : answer(404, "text/plain", "not found");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const {port} = server.address();
  return {address: `http://127.0.0.1:${port}${prefix()}`, requests, close: () => server.close()};
}

const prefix = () => `/${TOKEN}/`;
