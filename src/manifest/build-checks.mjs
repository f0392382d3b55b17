// Has Ajv compile what manifests are checked with, into checks.json, which known-checks.ts imports: `npm run build:page`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { buildSync } from "esbuild";

const file = join(import.meta.dirname, "../base/checks.json");
if (!existsSync(file)) writeFileSync(file, "{}\n");

const { knownSchemas } = await importTypeScript("known-schemas.ts");
const { options, schemas } = knownSchemas();
const codes = Object.fromEntries(Array.from(schemas, ([digest, schema]) => [digest, codeOf(schema)]));
const json = `${JSON.stringify(codes)}\n`;
// An unchanged file is not written, so that a build never takes it away from a running test.
if (readFileSync(file, "utf8") !== json) writeFileSync(file, json);

function importTypeScript(name) {
  const code = bundled({ entryPoints: [join(import.meta.dirname, name)], format: "esm", platform: "node" });
  return import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
}

/** A statement that makes `check` the compiled check of a schema, with nothing in it that no message says. */
function codeOf([schema, references = []]) {
  const ajv = new Ajv({ ...options, schemas: references.map(told), code: { source: true, esm: true } });
  const contents = standalone.default(ajv, ajv.compile(told(schema)));
  const stdin = { contents, resolveDir: import.meta.dirname };
  return bundled({ stdin, format: "iife", globalName: "check", minify: true });
}

function bundled(asked) {
  return buildSync({ ...asked, bundle: true, write: false, logLevel: "warning" }).outputFiles[0].text;
}

/** A schema without the texts that neither check nor word a fault; a property may have the name of one. */
function told(schema) {
  if (Array.isArray(schema)) return schema.map(told);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([word, value]) => typeof value !== "string" || isTold(word));
  return Object.fromEntries(kept.map(([word, value]) => [word, told(value)]));
}

function isTold(word) {
  return word === "x-expected" || word === "x-key" || !(word === "description" || word.startsWith("x-"));
}
