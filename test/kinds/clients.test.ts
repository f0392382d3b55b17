import { join } from "node:path";
import { describe, expect, test } from "vitest";
import gitbeaker from "./clients/gitbeaker.json" with { type: "json" };
import goGitlab from "./clients/go-gitlab.json" with { type: "json" };
import terraform from "./clients/terraform-provider-gitlab.json" with { type: "json" };
import { type FieldSchema, kinds, readYaml } from "./kinds.ts";

type Tables = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What public clients that we did not write call fields, and their JSON types. */
const clients: readonly Tables[] = [goGitlab.kinds, gitbeaker.kinds, terraform.kinds];

/** Fields that fewer than two of the clients have, each with the reason to have it all the same. */
const exceptions = readYaml(join(import.meta.dirname, "clients/exceptions.yaml")) as Tables;

/** Kinds of the specification, which these clients do not have any more. */
const specified = new Set(["licenses"]);

describe.each([...kinds].filter(([file]) => !specified.has(file)))("%s", (file, kind) => {
  const excepted = exceptions[file] ?? {};
  const fields = Object.entries(kind.fields.properties);

  test("has names and types that two public clients have", () => {
    const unheld = fields.filter(([name, field]) => !(name in excepted) && !isHeld(file, name, field));
    expect(unheld.map(([name]) => name)).toEqual([]);
  });

  test("has no exception that two public clients make needless", () => {
    const needless = Object.keys(excepted).filter((name) => isHeld(file, name, kind.fields.properties[name] ?? {}));
    expect(needless).toEqual([]);
  });
});

test("exceptions are of kinds and fields that there are", () => {
  const unknown = Object.entries(exceptions).flatMap(([file, names]) =>
    Object.keys(names).filter((name) => !(name in (kinds.get(file)?.fields.properties ?? {}))),
  );
  expect(unknown).toEqual([]);
});

function isHeld(file: string, name: string, field: FieldSchema): boolean {
  const found = clients.filter((client) => {
    const table = client[file] ?? {};
    return [field["x-send-as"], name].some((each) => each !== undefined && typesOf(field).has(table[each] ?? ""));
  });
  return found.length >= 2;
}

/** The type of a field in the words of the tables; one that is looked up is sent as a number. */
function typesOf(field: FieldSchema): ReadonlySet<string> {
  if (field["x-lookup"] !== undefined) return new Set(["number"]);
  const types = field.type === undefined ? (field.enum ?? []).map((value) => typeof value) : [field.type].flat();
  return new Set(
    types.flatMap((type) => {
      if (type === "array") return [...typesOf(field.items ?? {})].map((item) => `${item}[]`);
      return type === "integer" ? ["number"] : [type];
    }),
  );
}
