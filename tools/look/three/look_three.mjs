// node look_three.mjs FILE.glb OUT.png [TIME]: shows a .glb in three.js at TIME seconds (default 0).
// Writes a picture and prints JSON to stdout: duration, number of animated tracks, and the pose of every
// node. Exit status: 1 on an error in the console of the browser, 2 on a usage error.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const HERE = dirname(fileURLToPath(import.meta.url));
const THREE_FOLDER = join(HERE, 'node_modules', 'three');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const BROWSERS = [process.env.CHROMIUM, ...NAMES.map((name) => `/usr/bin/${name}`)];
const TYPES = { '.js': 'text/javascript', '.html': 'text/html', '.glb': 'model/gltf-binary' };
const PAGE = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<style>body { margin: 0; overflow: hidden } canvas { display: block }</style>
<script type="importmap">
{"imports": {"three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/"}}
</script>
<script type="module" src="/page.js"></script>`;

const [file, out, timeText = '0'] = process.argv.slice(2);
const time = Number(timeText);
const browserPath = BROWSERS.find((path) => path && existsSync(path));
if (!file || !out || !(time >= 0)) {
  console.error('usage: node look_three.mjs FILE.glb OUT.png [TIME]');
  process.exit(2);
}
if (!browserPath) {
  console.error('Chromium was not found: install the package chromium, or set CHROMIUM to its path');
  process.exit(2);
}

async function answer(path) {
  if (path === '/') return [PAGE, '.html'];
  if (path === '/model.glb') return [await readFile(file), '.glb'];
  if (path === '/page.js') return [await readFile(join(HERE, 'page.js')), '.js'];
  if (path.startsWith('/three/')) {
    return [await readFile(join(THREE_FOLDER, normalize(path.slice(6)))), extname(path)];
  }
  throw new Error('not found');
}

const server = createServer(async (request, response) => {
  try {
    const [body, type] = await answer(new URL(request.url, 'http://localhost').pathname);
    response.writeHead(200, { 'Content-Type': TYPES[type] ?? 'application/octet-stream' }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));

// Software rendering works on every machine.
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
const errors = [];
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => window.look !== undefined, null, { timeout: 60_000 });
  const result = await page.evaluate((t) => window.look(t), time);
  await page.screenshot({ path: out });
  console.log(JSON.stringify(result));
} catch (error) {
  errors.push(String(error.message ?? error));
} finally {
  await browser.close();
  server.close();
}
for (const error of errors) console.error(error);
process.exit(errors.length > 0 ? 1 : 0);
