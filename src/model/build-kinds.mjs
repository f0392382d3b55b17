// Turns schemas/kinds/*.yaml into kinds.json, which bundled-kinds.ts imports: `npm run build:page`.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const folder = join(import.meta.dirname, "../../schemas/kinds");
const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
const kinds = names.sort().map((name) => parse(readFileSync(join(folder, name), "utf8")));
const json = `${JSON.stringify(kinds)}\n`;
const file = join(import.meta.dirname, "kinds.json");
// An unchanged file is not written, so that a build never takes it away from a running test.
if (!existsSync(file) || readFileSync(file, "utf8") !== json) writeFileSync(file, json);
