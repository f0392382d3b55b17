import { grouped } from "../base/grouped.ts";
import { isObject, valueAtPath } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { didYouMean } from "../base/nearest.ts";
import { unavailable } from "../model/availability.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { addedElsewhere, foreignSlug } from "../model/dialect-evidence.ts";
import { kindOf, outOfRelease, outOfTier, type PolicyKind, policyKinds } from "../model/kinds.ts";
import { bareName, kindWord, type Owner, ownerOfName, owners, pluralOwner } from "../model/owner.ts";
import { isSingleton, keyFieldsOf, keyTextOf, keyValuesOf } from "../model/resource-kind.ts";
import type { Kind, Problem } from "../model/types.ts";
import { compileWhere } from "./condition.ts";
import type { Document } from "./document.ts";
import {
  keysIn,
  kindsNamedIn,
  ownerOfPolicy,
  type PolicyText,
  sectionIn,
  sectionPath,
  selectorKeys,
} from "./policy-text.ts";
import type { Path } from "./positions.ts";
import { expressionProblem, problemAt, type Rule, rules } from "./problem.ts";
import { undated } from "./rules.ts";
import { selectorFault } from "./selector.ts";
import { listed } from "./shape.ts";
import type { Workspace } from "./workspace.ts";

interface Checkable {
  readonly document: Document;
  readonly text: Partial<PolicyText>;
  readonly workspace: Workspace;
  readonly catalogue: Catalogue;
  readonly of: Owner;
  readonly kinds: readonly PolicyKind[];
}

/** Reports all problems of a policy on its own, beyond its schema and the fields of its resources. */
export function checkPolicy(document: Document, text: Partial<PolicyText>, workspace: Workspace): readonly Problem[] {
  const { catalogue } = workspace;
  const { value } = document;
  const of = ownerOfPolicy(value);
  const kinds = kindsNamedIn(catalogue, of, isObject(value) ? value : {});
  return checks.flatMap((check) => check({ document, text, workspace, catalogue, of, kinds }));
}

const checks: readonly ((policy: Checkable) => readonly Problem[])[] = [
  checkOwner,
  checkInstanceKeys,
  checkGlobs,
  checkSections,
  checkCondition,
  ({ document, text }) => undated(document, text.until),
  checkSlugs,
  findContradictions,
  findDuplicates,
  checkAvailability,
];

function checkOwner({ document }: Checkable): readonly Problem[] {
  const { value } = document;
  const selected = isObject(value) ? owners.filter((owner) => selectorKeys[owner] in value) : [];
  const [first, second] = selected;
  if (!first || !second) return [];
  const message = `a policy selects ${pluralOwner(first)} or ${pluralOwner(second)}, not both; write a policy for each`;
  return [problemAt("contradiction", message, { document, path: [selectorKeys[second]], of: "key" })];
}

function checkInstanceKeys({ document, text, of }: Checkable): readonly Problem[] {
  if (of !== "instance") return [];
  return (["except", "where", "archived"] as const).flatMap((key) => {
    if (text[key] === undefined) return [];
    const message = `${key} limits what projects or groups select, and this policy is of the instance`;
    return [problemAt("contradiction", message, { document, path: [key], of: "key" })];
  });
}

function checkGlobs({ document, text, of }: Checkable): readonly Problem[] {
  if (of === "instance") return [];
  return ([selectorKeys[of], "except"] as const).flatMap((key) =>
    listed<string | number>(text[key]).flatMap(([written, index]) => {
      const fault = selectorFault(written) ?? (of === "project" ? otherOwnerFault(written) : undefined);
      return fault ? [problemAt("wrong-value", `expected ${fault}`, { document, path: [key, index] })] : [];
    }),
  );
}

function checkCondition({ document, text, of }: Checkable): readonly Problem[] {
  if (text.where === undefined || of === "instance") return [];
  const compiled = compileWhere(of)(text.where);
  if (!("fault" in compiled)) return [];
  return [expressionProblem("where", { document, key: "where", text: text.where }, compiled.fault)];
}

function otherOwnerFault(written: string | number): string | undefined {
  const owner = ownerOfName(String(written));
  if (owner === "project") return undefined;
  if (owner === "instance") return "a project; a policy of the instance has instance: true in place of projects";
  return `a project; a policy of the group ${bareName(String(written))} has groups in place of projects`;
}

function checkSections({ document, text, catalogue, of }: Checkable): readonly Problem[] {
  const { foreign } = sectionKeys(catalogue)(of);
  const words = (key: string) => {
    const [other = of] = owners.filter((each) => each !== of && sectionKeys(catalogue)(each).own.includes(key));
    const have = of === "instance" ? "the instance has" : `${of}s have`;
    return `${have} no ${key}; it is a kind of ${pluralOwner(other)}, for policies with ${selectorKeys[other]} in place of ${selectorKeys[of]}`;
  };
  const keys = foreign.filter((key) => Object.hasOwn(text, key));
  const listedIn = listed(text.exclusive).filter(([word]) => foreign.includes(word));
  return [
    ...keys.map((key) => problemAt("unknown-key", words(key), { document, path: [key], of: "key" })),
    ...listedIn.map(([word, index]) =>
      problemAt("wrong-value", words(word), { document, path: ["exclusive", index], of: "value" }),
    ),
  ];
}

const sectionKeys = memoized(
  (catalogue: Catalogue) =>
    memoized((of: Owner) => {
      const own = policyKinds(catalogue, of).flatMap(listKeys);
      const all = owners.flatMap((owner) => policyKinds(catalogue, owner)).flatMap(listKeys);
      return { own, foreign: [...new Set(all)].filter((key) => !own.includes(key)) };
    }),
  new WeakMap(),
);

function listKeys({ section, off }: PolicyKind): readonly string[] {
  const [key = section] = sectionPath(section);
  return off === undefined ? [key] : [key, off];
}

/** Integrations that the catalogue, or the server, does not have. */
function checkSlugs(policy: Checkable): readonly Problem[] {
  const { document, text, catalogue, workspace } = policy;
  const unknown = (slug: string, path: Path) => {
    const near = didYouMean(slug, catalogue.integrations.keys()) || "; see evenkeel explain";
    const foreign = foreignSlug(slug, catalogue) ?? addedElsewhere(slug, catalogue);
    const message = foreign ?? `unknown integration ${slug}${near}`;
    return problemAt("unknown-integration", message, { document, path, of: "key" });
  };
  const declared = writtenKeys(policy, "integrations").flatMap((slug) => {
    const path = ["integrations", slug];
    if (!catalogue.integrations.has(slug)) return [unknown(slug, path)];
    const why = unavailableIn(workspace).get(slug);
    return why ? [problemAt(why.rule, why.message, { document, path, of: "key" })] : [];
  });
  const disabled = listed(text.disabled).filter(([slug]) => !catalogue.integrations.has(slug));
  return [...declared, ...disabled.map(([slug, index]) => unknown(slug, ["disabled", index]))];
}

const unavailableIn = memoized(({ catalogue, server }: Checkable["workspace"]) => {
  const all = Array.from(catalogue.integrations, ([slug, each]) => [slug, unavailable(each, server)] as const);
  return new Map(all.flatMap(([slug, why]) => (why ? [[slug, why] as const] : [])));
}, new WeakMap());

/** Reports sections that the tier or the release of the server does not have. */
function checkAvailability({ document, text, catalogue, kinds, workspace: { server } }: Checkable): readonly Problem[] {
  return kinds.flatMap((row) => {
    const faults = { tier: outOfTier(catalogue, row, server), release: outOfRelease(catalogue, row, server) };
    return (["tier", "release"] as const).flatMap((rule) => {
      const why = faults[rule];
      const path = why && findSection(text, row);
      return path ? [problemAt(rule, why, { document, path, of: "key" })] : [];
    });
  });
}

function findSection(text: Partial<PolicyText>, { section, off }: PolicyKind): Path | undefined {
  if (Object.keys(sectionIn(text, section) ?? {}).length > 0) return sectionPath(section);
  if (text.absent?.[section] !== undefined) return ["absent", section];
  const item = listed(text.exclusive).find(([word]) => word === section);
  if (item) return ["exclusive", item[1]];
  return off !== undefined && keysIn(text, off)?.length ? [off] : undefined;
}

/** The keys of a section, even if their values are invalid: a wrong value does not hide a wrong key. */
function writtenKeys({ document: { value } }: Checkable, section: string): readonly string[] {
  const written = valueAtPath(value, sectionPath(section));
  return isObject(written) ? Object.keys(written) : [];
}

function identifier({ catalogue }: Checkable, kind: Kind): (text: string) => string {
  const { identity, file } = kindOf(catalogue, kind);
  if (keyFieldsOf(file).length === 1) return identity;
  return (text) => identity(keyTextOf(file, keyValuesOf(file, text)));
}

/** Reports resources that are both declared and absent or disabled. */
function findContradictions(policy: Checkable): readonly Problem[] {
  const { document, text, catalogue, kinds } = policy;
  if (text.absent === undefined && text.disabled === undefined) return [];
  return kinds.flatMap(({ kind, section, off }) => {
    const gone = off === undefined ? text.absent?.[section] : keysIn(text, off);
    if (gone === undefined) return [];
    const identify = identifier(policy, kind);
    const keys = writtenKeys(policy, section);
    const isSingle = isSingleton(kindOf(catalogue, kind).file);
    const declared = new Set((isSingle ? keys.slice(0, 1).map(() => "") : keys).map(identify));
    const path = off === undefined ? ["absent", section] : [off];
    const absent: readonly (readonly [key: string, path: Path])[] =
      gone === true ? [["", path]] : listed(gone).map(([key, index]) => [key, [...path, index]]);
    return absent
      .filter(([key]) => declared.has(identify(key)))
      .map(([key, at]) => {
        const message = `${key || section} is declared above and ${off ?? "absent"} here`;
        return problemAt("contradiction", message, { document, path: at });
      });
  });
}

/** Duplicate resources, even if their keys are spelled differently. */
function findDuplicates(policy: Checkable): readonly Problem[] {
  const { document, catalogue, kinds } = policy;
  return kinds.flatMap(({ kind, section }) => {
    const { file } = kindOf(catalogue, kind);
    const keys = isSingleton(file) ? [] : writtenKeys(policy, section);
    const identify = identifier(policy, kind);
    if (new Set(keys.map(identify)).size === keys.length) return [];
    // Some kinds have their own rule, from before there was a common one.
    const own = `duplicate-${kindWord(kind)}`;
    const rule = rules.has(own) ? (own as Rule) : "duplicate-resource";
    return [...grouped(keys, identify).values()].flatMap(([other, ...same]) =>
      same.map((key) => {
        const hint = key.toLowerCase() === other.toLowerCase() ? ": case is ignored" : "";
        const message = `${key} and ${other} are the same ${file.singular.replaceAll("_", " ")}${hint}`;
        return problemAt(rule, message, { document, path: [...sectionPath(section), key], of: "key" });
      }),
    );
  });
}
