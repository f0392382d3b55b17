import { join } from "node:path";
import { describe, expect, test } from "vitest";
import gitbeaker from "./clients/gitbeaker.json" with { type: "json" };
import goGitlab from "./clients/go-gitlab.json" with { type: "json" };
import terraform from "./clients/terraform-provider-gitlab.json" with { type: "json" };
import { type FieldSchema, type KindFile, kinds, readYaml, schemasWithin } from "./kinds.ts";

type Tables = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What public clients that we did not write call fields, and their JSON types. */
const clients: readonly Tables[] = [goGitlab.kinds, gitbeaker.kinds, terraform.kinds];

/** Fields that fewer than two of the clients have, or not with what is in them, each with the reason to have it all the same. */
const exceptions = readYaml(join(import.meta.dirname, "clients/exceptions.yaml")) as Tables;

/** Kinds of the specification, which these clients do not have any more. */
const specified = new Set(["licenses"]);

describe.each([...kinds].filter(([file]) => !specified.has(file)))("%s", (file, kind) => {
  const excepted = exceptions[file] ?? {};
  const fields = fieldsOf(kind);

  test("has names and types that two public clients have", () => {
    const isExcepted = (path: string) => path in excepted || (path.split(".")[0] ?? "") in excepted;
    const unheld = [...fields].filter(([path, names]) => !isExcepted(path) && !isHeld(file, names));
    expect(unheld.map(([path]) => path)).toEqual([]);
  });

  test("has no exception that two public clients make needless", () => {
    expect(Object.keys(excepted).filter((path) => isHeld(file, fields.get(path) ?? []))).toEqual([]);
  });
});

test("exceptions are of kinds and fields that there are", () => {
  const unknown = Object.entries(exceptions).flatMap(([file, paths]) => {
    const kind = kinds.get(file);
    const fields = kind ? fieldsOf(kind) : new Map();
    return Object.keys(paths).filter((path) => !fields.has(path));
  });
  expect(unknown).toEqual([]);
});

/** A name that a client may have for a field, and the types that it may then have. */
type Named = readonly [name: string, types: ReadonlySet<string>];

/** Fields and what is in them, as parent.name, each with the names that clients may have for it. */
function fieldsOf(kind: KindFile): ReadonlyMap<string, readonly Named[]> {
  const { properties } = kind.fields;
  const inside = schemasWithin(kind.fields).filter(([path]) => path !== "" && !path.endsWith("[]"));
  return new Map(
    inside.map(([path, field]) => {
      const [top = "", ...rest] = path.replaceAll("[]", "").split(".");
      const tops = new Set([top, properties[top]?.["x-send-as"] ?? top]);
      const last = rest.map((name) => field["x-send-as"] ?? name);
      const names = [...tops].map((each): Named => [[each, ...last].join("."), typesOf(field)]);
      return [[top, ...rest].join("."), names];
    }),
  );
}

function isHeld(file: string, names: readonly Named[]): boolean {
  const found = clients.filter((client) => names.some(([name, types]) => types.has(client[file]?.[name] ?? "")));
  return found.length >= 2;
}

/** The types of a field in the words of the tables: what is looked up is sent as a number, and Terraform writes words for levels. */
function typesOf(field: FieldSchema): ReadonlySet<string> {
  if (field["x-lookup"] !== undefined) return new Set(["number"]);
  const types = field.type === undefined ? (field.enum ?? []).map((value) => typeof value) : [field.type].flat();
  const words = field["x-words"] === undefined ? [] : ["string"];
  return new Set([...types.flatMap((type) => typeNames(type, field)), ...words]);
}

function typeNames(type: string, field: FieldSchema): readonly string[] {
  if (type === "array") return [...typesOf(field.items ?? {})].map((item) => `${item}[]`);
  return [type === "integer" ? "number" : type];
}
