// Bundles the style and the script of each page, each into a page.json that a module imports: `npm run build:page`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** The oldest browsers that have everything the scripts call. */
const browsers = ["chrome117", "firefox119", "safari17.4"];

for (const home of [".", "../../console", "../revision"]) await bundle(join(import.meta.dirname, home));

async function bundle(home) {
  const folder = join(home, "page");
  const { outputFiles } = await build({
    entryPoints: ["main.ts", "page.css"].map((name) => join(folder, name)).filter((file) => existsSync(file)),
    outdir: folder,
    bundle: true,
    minify: true,
    format: "iife",
    target: browsers,
    charset: "utf8",
    write: false,
  });
  const outputEndingIn = (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text.trimEnd();
  const markup = join(folder, "body.html");
  const body = existsSync(markup) ? { body: readFileSync(markup, "utf8").trimEnd() } : {};
  const json = `${JSON.stringify({ ...body, script: outputEndingIn(".js"), style: outputEndingIn(".css") })}\n`;
  // Left alone where it is up to date, so that a build never takes the file away from a run of the tests.
  const made = join(home, "page.json");
  if (!existsSync(made) || readFileSync(made, "utf8") !== json) writeFileSync(made, json);
}
