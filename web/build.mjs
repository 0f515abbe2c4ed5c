// Bundles src/main.ts with three.js and the style sheet into one file, dist/page.js, and copies page.html
// beside it. `node build.mjs --watch` builds again after each change.
import {build, context} from "esbuild";
import {copyFileSync, mkdirSync, readFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const options = {
  entryPoints: [join(folder, "src/main.ts")],
  outfile: join(folder, "dist/page.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  loader: {".css": "text"},
  banner: {js: "/* tumble page. Contains three.js, copyright three.js authors, MIT licence. */"},
  logLevel: "warning",
};

// The bundle may stand between <script> and </script>. These strings would end the script there, or begin a
// comment.
function check() {
  const text = readFileSync(options.outfile, "utf8");
  for (const fault of ["</script", "<!--"])
    if (text.includes(fault)) throw new Error(`dist/page.js contains ${fault} and cannot be inlined in HTML`);
}

mkdirSync(join(folder, "dist"), {recursive: true});
copyFileSync(join(folder, "page.html"), join(folder, "dist/page.html"));
if (process.argv.includes("--watch")) {
  await (await context({...options, logLevel: "info"})).watch();
} else {
  await build(options);
  check();
}
