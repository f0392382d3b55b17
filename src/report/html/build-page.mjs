// Bundles the style sheet and the script of all HTML pages into page.json, which document.ts imports.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** The oldest browsers that have everything the script calls. */
const browsers = ["chrome117", "firefox119", "safari17.4"];

const folder = join(import.meta.dirname, "page");
const { outputFiles } = await build({
  entryPoints: ["main.ts", "style.css"].map((name) => join(folder, name)),
  outdir: folder,
  bundle: true,
  minify: true,
  format: "iife",
  target: browsers,
  charset: "utf8",
  write: false,
});
const output = (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text.trimEnd();
const json = `${JSON.stringify({ script: output(".js"), style: output(".css") })}\n`;
const file = join(import.meta.dirname, "page.json");
// An unchanged file is not written, so that a build never takes it away from a running test.
if (!existsSync(file) || readFileSync(file, "utf8") !== json) writeFileSync(file, json);
