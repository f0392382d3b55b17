import manifest from "../../schemas/manifest.schema.json" with { type: "json" };
import type { MemberRead } from "../base/cel.ts";
import { orElse } from "../base/nearest.ts";
import { bundledKinds } from "./bundled-kinds.ts";
import { fieldFaults, schemasWithin } from "./kind-field-faults.ts";
import { type KindFault, noField, pathFaults } from "./kind-path-faults.ts";
import { type FieldSchema, keyFieldsOf, ownersOf, type ResourceKind, resourceKindShape } from "./resource-kind.ts";

/** Why an expression that knows these names is none, completing "…: "; or what it reads of them. */
export type ExpressionCheck = (
  text: string,
  names: readonly string[],
  type: "bool" | "any",
) => { readonly fault: string } | { readonly members: () => readonly MemberRead[] };

/** Where expressions cannot be compiled, or are known to be right. */
export const unchecked: ExpressionCheck = () => ({ members: () => [] });

/** Everything that is wrong with a kind. `others` are those that the workspace knows already. */
export function resourceKindFaults(
  document: unknown,
  others: readonly Pick<ResourceKind, "name" | "singular" | "of">[],
  check: ExpressionCheck,
): readonly KindFault[] {
  const shapeless = resourceKindShape(document);
  if (shapeless.length > 0) return shapeless;
  const kind = document as ResourceKind;
  return [
    ...takenNames(kind, others),
    ...unknownOrder(kind, others),
    ...unknownFields(kind),
    ...pathFaults(kind),
    ...fieldFaults(kind),
    ...expressionsOf(kind).flatMap(({ text, path, names, type }) => {
      const checked = check(text, names, type);
      if ("fault" in checked) return [{ path, message: `not an expression of CEL: ${checked.fault}` }];
      return unknownMembers(kind, checked.members()).map((name) => ({ path, message: noField(kind, name) }));
    }),
  ];
}

/** Names of fields that are none, where an expression reads the fields of the kind: it would never hold. */
function unknownMembers({ fields }: ResourceKind, members: readonly MemberRead[]): readonly string[] {
  if (fields.additionalProperties) return [];
  const read = members.filter(({ of }) => withFields.has(of)).map(({ name }) => name);
  return [...new Set(read)].filter((name) => !Object.hasOwn(fields.properties, name));
}

const withFields: ReadonlySet<string> = new Set(["before", "after"]);

type Named = Pick<ResourceKind, "name" | "singular" | "of">;

function takenNames(kind: ResourceKind, others: readonly Named[]): readonly KindFault[] {
  return (["name", "singular"] as const).flatMap((word): readonly KindFault[] => {
    if (reserved[word].has(kind[word])) return [{ path: [word], message: `${kind[word]} is taken by Evenkeel itself` }];
    const owners = ownersOf(kind);
    const other = others.find(
      (each) => each[word] === kind[word] && [each.of].flat().some((of) => owners.includes(of)),
    );
    if (!other) return [];
    return [{ path: [word], message: `${kind[word]} is taken by the kind ${other.name} of ${ownerWords(other)}` }];
  });
}

/** Kinds that are described by a file alone. Integrations have a catalogue, and storage is no section of a policy. */
const plainKinds = Object.values(bundledKinds).filter(({ file, policy }) => policy && !file.keys);
const plainNames = new Set(plainKinds.map(({ file }) => file.name));

/** Keys of a policy, and words in addresses, that are no section or word of such a kind. */
const reserved = {
  name: new Set(
    [...Object.keys(manifest.definitions.Policy.properties), "absent", "protected"].filter(
      (each) => !plainNames.has(each),
    ),
  ),
  singular: new Set(Object.values(bundledKinds).flatMap((row) => (plainKinds.includes(row) ? [] : row.file.singular))),
};

/** Kinds to come after that are none of its owner. */
function unknownOrder(kind: ResourceKind, others: readonly Named[]): readonly KindFault[] {
  const known = others.filter(({ of }) => [of].flat().some((owner) => ownersOf(kind).includes(owner)));
  const names = known.map(({ name }) => name);
  return (kind.after ?? []).flatMap((name, index): KindFault[] => {
    if (names.includes(name)) return [];
    return [
      {
        path: ["after", index],
        message: `there is no other kind ${name} of ${ownerWords(kind)}${orElse(name, names)}`,
      },
    ];
  });
}

function ownerWords({ of }: Named): string {
  return [of]
    .flat()
    .map((owner) => `${owner}s`)
    .join(" and ");
}

/** Names of fields that are none, and a key of which nobody knows what is left out. */
function unknownFields(kind: ResourceKind): readonly KindFault[] {
  const { properties, required = [] } = kind.fields;
  const keys = keyFieldsOf(kind).map((name, index) => {
    return { name, path: typeof kind.key === "string" ? ["key"] : ["key", index] };
  });
  const named = [
    ...keys,
    ...(kind.only === undefined ? [] : [{ name: kind.only, path: ["only"] }]),
    ...required.map((name, index) => ({ name, path: ["fields", "required", index] })),
  ];
  const unknown = named.filter(({ name }) => !Object.hasOwn(properties, name));
  const optional = keys.filter(
    ({ name }) =>
      Object.hasOwn(properties, name) && !required.includes(name) && !("default" in (properties[name] ?? {})),
  );
  return [
    ...unknown.map(({ name, path }) => ({ path, message: noField(kind, name) })),
    ...optional.map(({ name, path }) => ({
      path,
      message: `${name} is part of the key: require it, or give it a default`,
    })),
  ];
}

interface WrittenExpression {
  readonly path: readonly (string | number)[];
  readonly text: string;
  readonly names: readonly string[];
  readonly type: "bool" | "any";
}

/** Every expression of a kind, where it is, and the names that it knows. */
export function expressionsOf(kind: ResourceKind): readonly WrittenExpression[] {
  const whole = [
    ["where", ["row"]],
    ["loosened", ["before", "after"]],
    ["tightened", ["before", "after"]],
  ] as const;
  return [
    ...whole.flatMap(([word, names]): WrittenExpression[] => {
      const text = kind[word];
      return text === undefined ? [] : [{ path: [word], text, names, type: "bool" }];
    }),
    ...(kind.answers ?? []).flatMap(({ when, body }, index): WrittenExpression[] => {
      const [path, names] = [
        ["answers", index],
        ["params", "row", "rows", "above"],
      ];
      return [
        { path: [...path, "when"], text: when, names, type: "bool" },
        { path: [...path, "body"], text: body, names, type: "any" },
      ];
    }),
    ...schemasWithin(kind.fields, ["fields"]).flatMap(([path, field]) => fieldExpressions(path, field)),
  ];
}

function fieldExpressions(path: KindFault["path"], field: FieldSchema): readonly WrittenExpression[] {
  return (["x-read", "x-send", "x-store"] as const).flatMap((word) => {
    const written = field[word] ?? {};
    const texts: readonly (readonly [string[], string])[] =
      typeof written === "string" ? [[[], written]] : Object.entries(written).map(([name, text]) => [[name], text]);
    return texts.map(([inside, text]): WrittenExpression => {
      return { path: [...path, word, ...inside], text, names: knownTo[word], type: "any" };
    });
  });
}

const knownTo = { "x-read": ["row"], "x-send": ["want", "row"], "x-store": ["params", "row", "others"] } as const;
