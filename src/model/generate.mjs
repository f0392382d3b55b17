// Writes what git ignores and the program imports, page.json of report/html too.
//   model/kinds.json    the kinds of schemas/kinds/*.yaml
//   commands/command-rows.ts  the commands of schemas/commands.yaml, typed by their literals
//   commands/templates.json  the files of commands/templates
//   base/validators.ts  what Ajv makes of the schemas that manifests are checked with, by digest
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { buildSync } from "esbuild";
import { parse } from "yaml";
import "../report/html/build-page.mjs";

const src = join(import.meta.dirname, "..");
const kinds = join(src, "../schemas/kinds");
const kindFiles = readdirSync(kinds).filter((name) => name.endsWith(".yaml"));
write(
  "model/kinds.json",
  JSON.stringify(kindFiles.sort().map((name) => parse(readFileSync(join(kinds, name), "utf8")))),
);

const { groups, commands } = parse(readFileSync(join(src, "../schemas/commands.yaml"), "utf8"), { merge: true });
const rows = Object.entries(commands).flatMap(([heading, below]) =>
  Object.entries(below).map(([name, { examples, flags, ...row }]) => [
    name,
    { ...row, heading, examples: Object.entries(examples), flags: flags.flat() },
  ]),
);
write(
  "commands/command-rows.ts",
  `export const groupSummaries = ${JSON.stringify(groups)} as const;
export const rows = ${JSON.stringify(Object.fromEntries(rows))} as const;`,
);

const templates = join(src, "commands/templates");
const texts = readdirSync(templates).map((name) => [name, readFileSync(join(templates, name), "utf8")]);
write("commands/templates.json", JSON.stringify(Object.fromEntries(texts.sort())));

const head = "// @ts-nocheck\n";
const validators = "base/validators.ts";
// known-schemas.ts imports it.
if (!existsSync(join(src, validators))) write(validators, `${head}${checksOf([])}`);
const { knownSchemas } = await importTypeScript("manifest/known-schemas.ts");
const { options, schemas } = knownSchemas();
const checks = Array.from(schemas, ([digest, schema]) => `"${digest}": ${checkOf(schema)}`);
write(validators, `${head}${checksOf(checks)}`);

/** The module of checks. Each is a function, so that only the checks a command uses are compiled. */
function checksOf(checks) {
  return `export const validators: Readonly<Record<string, () => import("ajv").ValidateFunction>> = {${checks.join(",\n")}};`;
}

/** An unchanged file is not written, so that a build never takes it away from a running test. */
function write(name, text) {
  const path = join(src, name);
  if (!existsSync(path) || readFileSync(path, "utf8") !== `${text}\n`) writeFileSync(path, `${text}\n`);
}

function importTypeScript(name) {
  const code = bundled({ entryPoints: [join(src, name)], format: "esm", platform: "node" });
  return import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
}

/** A function that returns the compiled check of a schema. */
function checkOf([schema, references = []]) {
  const ajv = new Ajv({ ...options, schemas: references.map(checkedWords), code: { source: true, esm: true } });
  const contents = standalone.default(ajv, ajv.compile(checkedWords(schema)));
  const stdin = { contents, resolveDir: src };
  const code = bundled({ stdin, format: "iife", globalName: "check", minify: true });
  return `() => { ${code} return check.default; }`;
}

function bundled(options) {
  return buildSync({ ...options, bundle: true, write: false, logLevel: "warning" }).outputFiles[0].text;
}

/** A schema without the texts that neither check nor word a fault; a property may have the name of one. */
function checkedWords(schema) {
  if (Array.isArray(schema)) return schema.map(checkedWords);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([word, value]) => typeof value !== "string" || isChecked(word));
  return Object.fromEntries(kept.map(([word, value]) => [word, checkedWords(value)]));
}

function isChecked(word) {
  return word === "x-expected" || word === "x-key" || !(word === "description" || word.startsWith("x-"));
}
