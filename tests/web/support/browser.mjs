// Headless Chromium for tests, and what must hold of every page: no error, no request to other places.
import {existsSync} from "node:fs";
import {createRequire} from "node:module";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "../../../web/package.json");
const {chromium} = createRequire(web)("playwright-core");

const FLAGS = [
  "--no-sandbox",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-default-apps",
  "--disable-extensions",
];
const PROGRAMS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"];

export async function launch() {
  const executablePath = PROGRAMS.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("Chromium is not installed (apt-get install chromium)");
  return chromium.launch({executablePath, args: FLAGS});
}

/**
 * Opens a page and waits until the recording is shown. `faults` collects errors of the console, exceptions
 * and requests that leave the page's server.
 */
export async function open(browser, address, {size = {width: 1280, height: 720}, wait = true} = {}) {
  const context = await browser.newContext({viewport: size, acceptDownloads: true});
  const page = await context.newPage(),
    faults = [],
    LONGEST_WAIT = 10_000; // ms
  page.setDefaultTimeout(LONGEST_WAIT);
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  const {origin, protocol} = new URL(address);
  page.on("request", (request) => {
    const url = request.url();
    const own = protocol === "file:" ? url === address : url.startsWith(`${origin}/`);
    if (!own && !/^(blob|data):/.test(url)) faults.push(`request: ${url}`);
  });
  await page.goto(address);
  if (wait) await page.evaluate(() => window.tumble.ready);
  return {page, faults, close: () => context.close()};
}
