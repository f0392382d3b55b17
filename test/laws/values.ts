import { createHash } from "node:crypto";
import fc from "fast-check";
import type { IntegrationParameter } from "../../src/model/catalogue.ts";

/** What a manifest may write for a parameter. */
export type Written = string | number | boolean | readonly string[] | { readonly secret: string };

/** Names of the variables that hold secrets; {@link secretValue} says what they hold. */
export const secretNames = ["HOOK", "TOKEN_A", "TOKEN_B", "PASSWORD"] as const;

export const canary = "CANARY-7f3a";

/** Needs escaping in JSON, in URLs, in forms and in markup, and must be found in none of them. Names are no part of it. */
export const secretValue = (name: string): string =>
  `${canary}-${createHash("sha256").update(name).digest("hex").slice(0, 8)} "é<x>&?=%+\\/'`;

const secret = fc.constantFrom(...secretNames).map((name) => ({ secret: `env:${name}` }));

const words = fc.constantFrom(
  "#ops",
  "dev team",
  "true",
  "007",
  "null",
  "ü – ß",
  "a: b # c",
  "$${x}",
  "- x",
  "",
  "it's",
);
const lineBreaks = fc.constantFrom("two\nlines", "two\r\nlines", " around ");
const templates = fc.constantFrom("${vars.channel}", "to ${vars.channel} of ${project.path}", "id-${project.id}");

const address = fc
  .constantFrom("ci", "wiki", "track")
  .chain((host) =>
    fc.constantFrom(
      `https://${host}.example.com/a/:id`,
      `https://${host}.example.com/:id/`,
      `http://${host}.example.com:8080/x?y=%20&id=:id`,
      `https://${host}.example.com/\${project.path}/:id`,
    ),
  );

const lists = {
  comma: fc.constantFrom("a@example.com,b@example.com", "b@example.com, a@example.com", "main"),
  whitespace: fc.constantFrom("a@example.com b@example.com", "#b\n#a  #b", "#one"),
};

const text = fc.oneof({ weight: 3, arbitrary: words }, lineBreaks, fc.string({ maxLength: 12 }).map(escaped));

/** Text in which nothing is an interpolation, and nothing that YAML text cannot hold. */
function escaped(raw: string): string {
  return raw.replaceAll("${", () => "$${");
}

function plainText({ enum: allowed, pattern, list, "x-url": url }: IntegrationParameter): fc.Arbitrary<string> {
  if (allowed) return fc.constantFrom(...allowed);
  if (pattern || url) return address;
  return list ? lists[list] : text;
}

const listed = fc.subarray(["APP", "OPS", "W3B"]);

/** A value without secrets and templates: what a server may hold. */
export function liveValue(
  parameter: IntegrationParameter,
): fc.Arbitrary<string | number | boolean | readonly string[]> {
  const [type] = parameter.types;
  if (type === "boolean") return fc.boolean();
  if (type === "integer") return fc.integer({ min: -10, max: 70_000 });
  if (type === "array") return listed;
  return plainText(parameter).map((value) => value.replaceAll("${project.path}", "p").replaceAll("$${", "${"));
}

/** A value that a manifest may hold: now and then a template, and always a reference where the parameter is secret. */
export function writtenValue(parameter: IntegrationParameter): fc.Arbitrary<Written> {
  const [type] = parameter.types;
  if (parameter.secret) return secret;
  if (type === "boolean") return fc.oneof({ weight: 5, arbitrary: fc.boolean() }, fc.constant("${vars.flag}"));
  if (type === "integer") return fc.integer({ min: -10, max: 70_000 });
  if (type === "array") return listed;
  if (parameter.enum || parameter.pattern) return plainText(parameter);
  return fc.oneof({ weight: 6, arbitrary: plainText(parameter) }, templates, secret);
}
