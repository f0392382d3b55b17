import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Environment } from "@marcbachmann/cel-js";
import { parse } from "yaml";
import resourceKindSchema from "../../schemas/resource-kind.schema.json" with { type: "json" };
import type { FieldSchema } from "../../src/model/resource-kind.ts";

export type { FieldSchema };

type Call = string | { readonly call: string; readonly release: string };

export interface KindFile {
  readonly name: string;
  readonly singular: string;
  readonly of: string | readonly string[];
  readonly key?: string | readonly string[];
  readonly under?: "create";
  readonly where?: string;
  readonly kept?: string;
  readonly calls: Readonly<Record<string, Call>>;
  readonly loosened?: string;
  readonly tightened?: string;
  readonly keys?: string;
  readonly fields: FieldSchema & { readonly properties: Readonly<Record<string, FieldSchema>> };
}

/** What a kind needs at least. */
export const minimal = {
  apiVersion: "evenkeel/v1",
  kind: "ResourceKind",
  name: "hooks",
  singular: "hook",
  of: "project",
  key: "url",
  calls: { list: "GET /projects/:id/hooks", update: "PUT /projects/:id/hooks/:row.id" },
  fields: { required: ["url"], properties: { url: { type: "string" }, token: { type: "string" } } },
} satisfies Record<string, unknown>;

/** Every bundled kind, by the name of its file. */
export const kinds = kindsIn(join(import.meta.dirname, "../../schemas/kinds"));

/** The kinds of a folder, by the names of their files. */
export function kindsIn(folder: string): ReadonlyMap<string, KindFile> {
  return new Map(
    readdirSync(folder).flatMap((name) => {
      const file = readYaml(join(folder, name)) as KindFile;
      // test/model/catalogue.test.ts has those of the catalogue.
      return file.keys === undefined ? [[basename(name, ".yaml"), file] as const] : [];
    }),
  );
}

/** What a YAML file has. */
export function readYaml(path: string): unknown {
  return parse(readFileSync(path, "utf8"));
}

/** The x- words that fields may use. */
export const words = Object.keys(resourceKindSchema.definitions.schema.properties).filter((word) =>
  word.startsWith("x-"),
);

/** A schema and all schemas in it, each with its path. */
export function schemasWithin(schema: FieldSchema, path = ""): readonly (readonly [string, FieldSchema])[] {
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    schemasWithin(each, path === "" ? name : `${path}.${name}`),
  );
  const items = schema.items ? schemasWithin(schema.items, `${path}[]`) : [];
  return [[path, schema], ...inside, ...items];
}

// As rules of policies are bounded.
const limits = { maxAstNodes: 1000, maxDepth: 50, maxListElements: 500, maxMapEntries: 100 };

/** The language of a kind's expressions, which know these names. */
export function language(...names: readonly string[]): Environment {
  return names.reduce(
    (environment, name) => environment.registerVariable(name, "dyn"),
    new Environment({ enableOptionalTypes: true, limits }),
  );
}
