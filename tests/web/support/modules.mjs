// Imports TypeScript modules of web/src into node.
import {createRequire} from "node:module";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "../../../web");
const {build} = createRequire(join(web, "package.json"))("esbuild");

/** All exports of the modules, which are paths below web/src without suffix. */
export async function load(...names) {
  const contents = names.map((name) => `export * from "./${name}";`).join("\n");
  const built = await build({
    stdin: {contents, resolveDir: join(web, "src"), loader: "ts"},
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["three", "three/*"],
  });
  const text = Buffer.from(built.outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${text}`);
}
