import { isDay } from "../base/day.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { impliedFields } from "../model/catalogue.ts";
import { catalogueEntry, identityOf, kindOf, type PolicyKind, policyKinds } from "../model/kinds.ts";
import { instanceName, type Owner } from "../model/owner.ts";
import { isSingleton, keyTextOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Desired, Fields, Kind, Origin, Problem, Scalar } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import { type Condition, compileWhere } from "./condition.ts";
import type { Document } from "./document.ts";
import { readHead } from "./document-head.ts";
import { type Declaration, type From, keyFieldValues, PolicyEntry, type Stated, stated } from "./entries.ts";
import { checkPolicy } from "./policy-checks.ts";
import {
  keysIn,
  kindsNamedIn,
  ownerOfPolicy,
  type PolicyText,
  type SelectorKey,
  sectionIn,
  sectionPath,
  selectorKeys,
} from "./policy-text.ts";
import type { Path } from "./positions.ts";
import { problemAt } from "./problem.ts";
import { type Declared, declareResource } from "./resource-fields.ts";
import { type Selector, selectorOf } from "./selector.ts";
import { listed, shape } from "./shape.ts";
import { isTemplate, referenceProblems } from "./template.ts";
import type { Loaded, Workspace } from "./workspace.ts";

export interface Policy {
  readonly name: string;
  readonly document: Document;
  readonly of: Owner;
  readonly selects: SelectorKey;
  /** Selectors of projects or, with a slash at the end, of groups; for the instance, its name. */
  readonly projects: readonly Selector[];
  readonly except: readonly Selector[];
  readonly where?: Condition;
  readonly includesArchived: boolean;
  readonly priority: number;
  readonly enforce: boolean;
  readonly vars: readonly Variable[];
  readonly entries: readonly PolicyEntry[];
  readonly kinds: ReadonlySet<Kind>;
  readonly exclusive: ReadonlyMap<Kind, Origin>;
  /** True if a variable, a key or a field has interpolations. */
  readonly hasTemplates: boolean;
  readonly until?: string;
  readonly reason?: string;
}

export interface Variable extends Stated {
  readonly name: string;
  readonly value: Scalar;
}

export interface Policies {
  readonly policies: readonly Policy[];
  readonly problems: readonly Problem[];
  /** Literal secrets that the workspace allows, by `manifest:` reference. */
  readonly plaintext: ReadonlyMap<string, string>;
}

export function readPolicies({ documents, workspace }: Pick<Loaded, "documents" | "workspace">): Policies {
  const results = documents.map(readerFor(workspace));
  return {
    policies: results.flatMap(({ policy }) => policy ?? []),
    problems: results.flatMap(({ problems }) => problems),
    plaintext: new Map(results.flatMap(({ plaintext }) => plaintext)),
  };
}

/** Memoized, so that two revisions of a workspace share the policies of unchanged documents. */
const readerFor = memoized(
  (workspace: Workspace) => memoized((document: Document) => readDocument(document, workspace), new WeakMap()),
  new WeakMap(),
);

function readDocument(document: Document, workspace: Workspace): Partial<Read> & Omit<Read, "policy"> {
  const head = readHead(document);
  const problems = head.problem ? [head.problem] : [];
  if (head.kind !== "Policy") return { problems, plaintext: [] };
  const { text, problems: shapeless } = shape<PolicyText>(document, "Policy", workspace);
  const read = readPolicy(document, text, workspace);
  const checked = checkPolicy(document, text, workspace);
  return { ...read, problems: [...problems, ...shapeless, ...read.problems, ...checked] };
}

interface Read {
  readonly policy: Policy;
  readonly problems: readonly Problem[];
  readonly plaintext: Declared["plaintext"];
}

function readPolicy(document: Document, text: Partial<PolicyText>, workspace: Workspace): Read {
  const { name = "", until, reason } = text;
  const why = reason === undefined ? {} : { reason };
  const end = until !== undefined && isDay(until) ? { until } : {};
  const of = ownerOfPolicy(document.value);
  const from: From = { document, policy: name, of, catalogue: workspace.catalogue, ...why, ...end };
  const { entries, kinds, hasTemplates, problems, plaintext } = readEntries(from, text, workspace);
  const where = text.where === undefined ? undefined : readWhere(text.where, of);
  const exclusive = text.exclusive === undefined ? noExclusive : readExclusive(from, text.exclusive);
  const policy: Policy = {
    name,
    document,
    of,
    selects: selectorKeys[of],
    projects: readSelectors(text, of),
    except: text.except === undefined ? none : listed(text.except).map(([selector]) => selectorOf(selector, of)),
    ...(where && { where }),
    includesArchived: (text.archived ?? workspace.archived) === "include",
    priority: text.priority ?? 0,
    enforce: text.enforce === true,
    vars: text.vars === undefined ? none : readVariables(document, name, text.vars),
    entries,
    kinds: new Set([...kinds, ...exclusive.keys()]),
    exclusive,
    hasTemplates,
    ...end,
    ...why,
  };
  return { policy, problems, plaintext };
}

/** The lines that select projects or groups; the instance is one line, its name. */
function readSelectors(text: Partial<PolicyText>, of: Owner): readonly Selector[] {
  if (of === "instance") return text.instance ? [selectorOf(instanceName, of)] : none;
  return listed<string | number>(text[selectorKeys[of]]).map(([selector]) => selectorOf(selector, of));
}

/** The condition of a policy. An invalid expression, which is reported, selects nothing. */
function readWhere(text: string, of: Owner): Condition {
  const compiled = compileWhere(of)(text);
  return "fault" in compiled ? { text, evaluate: () => undefined } : compiled;
}

const none: readonly never[] = [];
const noExclusive: ReadonlyMap<Kind, Origin> = new Map();

function readExclusive(
  { document, of, catalogue, reason }: From,
  words: PolicyText["exclusive"],
): ReadonlyMap<Kind, Origin> {
  const why = reason === undefined ? {} : { reason };
  return new Map(
    listed(words).flatMap(([word, index]) =>
      policyKinds(catalogue, of)
        .filter(({ section }) => section === word)
        .map(({ kind }): [Kind, Origin] => [kind, { place: () => document.place(["exclusive", index]), ...why }]),
    ),
  );
}

function readVariables(document: Document, policy: string, vars: PolicyText["vars"]): readonly Variable[] {
  return Object.entries(vars).map(([name, value]) => ({ ...stated(document, policy, ["vars", name]), name, value }));
}

interface Entries {
  readonly entries: PolicyEntry[];
  readonly kinds: Set<Kind>;
  hasTemplates: boolean;
  readonly problems: Problem[];
  readonly plaintext: Declared["plaintext"][number][];
}

function readEntries(from: From, text: Partial<PolicyText>, workspace: Workspace): Entries {
  const into: Entries = { entries: [], kinds: new Set(), hasTemplates: false, problems: [], plaintext: [] };
  const rows = kindsNamedIn(from.catalogue, from.of, text);
  for (const add of [addDeclared, addAbsent])
    for (const row of rows) {
      const before = into.entries.length;
      add(into, from, row, text, workspace);
      if (into.entries.length > before) into.kinds.add(row.kind);
    }
  for (const [name, value] of Object.entries(text.vars ?? {})) {
    into.hasTemplates ||= isTemplate(value);
    into.problems.push(...referenceProblems(value, from.of, { document: from.document, path: ["vars", name] }));
  }
  return into;
}

function addDeclared(
  into: Entries,
  from: From,
  row: PolicyKind,
  text: Partial<PolicyText>,
  workspace: Workspace,
): void {
  const values = sectionIn(text, row.section);
  if (values === undefined) return;
  const { file, keys: catalogued } = kindOf(from.catalogue, row.kind);
  const section = sectionPath(row.section);
  if (isSingleton(file)) {
    addResource(into, from, row, [section], values, workspace);
    return;
  }
  const known = bareResources(workspace)(row.kind);
  for (const key of Object.keys(values)) {
    // Unknown keys are reported separately.
    if (catalogued && !catalogued.has(key)) continue;
    const value = values[key];
    const byKey = isScalar(value) ? known(value) : undefined;
    const resource = byKey?.get(key);
    if (resource) into.entries.push(new PolicyEntry(from, [section, key], resource));
    else {
      const bare = addResource(into, from, row, [section, key], value, workspace);
      if (bare) byKey?.set(key, bare);
    }
  }
}

/**
 * Valid resources declared by one literal, such as the status of a license, by value and key: thousands of policies
 * repeat the same few.
 */
const bareResources = memoized(
  (_workspace: Workspace) => memoized((_kind: Kind) => memoized((_value: Scalar) => new Map<string, Declaration>())),
  new WeakMap(),
);

/**
 * Adds a resource by its fields, or by its only value. Returns the declaration if a valid literal has the same meaning
 * everywhere, to be cached; else undefined.
 */
function addResource(
  into: Entries,
  from: From,
  { kind }: PolicyKind,
  at: readonly [section: Path, key?: string],
  value: unknown,
  workspace: Workspace,
): Declaration | undefined {
  const { file, keys: catalogued } = kindOf(from.catalogue, kind);
  const { only } = file;
  const [section, text = ""] = at;
  const path = [...section, ...at.slice(1)] as Path;
  const isBare = only !== undefined && !isObject(value);
  const entry = catalogued?.get(text);
  const keys = entry ? {} : keyFieldValues(file, text);
  const { inherit, ...parameters } = isBare ? { [only]: value, inherit: undefined } : (value as JsonObject);
  if (!entry) into.problems.push(...referenceProblems(text, from.of, { document: from.document, path }));
  if (inherit !== undefined) into.problems.push(...inheritProblems(from, file, path, inherit));
  const inherits = inherit === true && !isSingleton(file);
  const written = {
    document: from.document,
    path,
    file,
    entry,
    fields: entry?.fields ?? file.fields,
    platform: workspace.server,
    keys,
    parameters,
    inherits,
    bare: isBare ? only : undefined,
  };
  const { fields, templates, problems, plaintext } = declareResource(written, workspace);
  for (const problem of problems) into.problems.push(problem);
  for (const each of plaintext) into.plaintext.push(each);
  if (isBare && Object.keys(fields).length === 0) return undefined;
  const all = entry?.parameters.has("active") && !inherits ? { ...impliedFields(entry), ...fields } : fields;
  const resource = createResource(from, kind, entry?.slug ?? keyTextOf(file, keys), all);
  const isOpen = templates.length > 0 || isTemplate(text);
  into.hasTemplates ||= isOpen;
  const isSettled = isBare && !isOpen;
  into.entries.push(new PolicyEntry(from, at, resource, templates, isSettled ? undefined : written));
  return isSettled && problems.length === 0 && plaintext.length === 0 ? resource : undefined;
}

function inheritProblems({ document }: From, file: ResourceKind, path: Path, inherit: unknown): readonly Problem[] {
  const at = { document, path: [...path, "inherit"] };
  if (isSingleton(file)) {
    const message = `${file.name} needs no inherit: each field that a policy lacks is that of the next policy anyway`;
    return [problemAt("unknown-key", message, { ...at, of: "key" })];
  }
  if (inherit === true) return [];
  return [problemAt("wrong-value", "expected true; without inherit, an entry stands alone", at)];
}

function createResource(
  { catalogue }: From,
  kind: Kind,
  key: string,
  fields: Fields,
  presence: Desired["presence"] = "present",
): Declaration {
  return { kind, key, fields, identity: identityOf(catalogue, { kind, key }), presence };
}

function addAbsent(into: Entries, from: From, { kind, section, off }: PolicyKind, text: Partial<PolicyText>): void {
  const { catalogue, document } = from;
  const add = (key: string, ...at: readonly [section: Path, key?: number]) => {
    into.hasTemplates ||= isTemplate(key);
    into.entries.push(new PolicyEntry(from, at, createResource(from, kind, key, {}, "absent")));
  };
  if (off !== undefined) {
    for (const [key, index] of listed(keysIn(text, off)))
      if (catalogueEntry(catalogue, { kind, key })) add(key, [off], index);
    return;
  }
  const { file } = kindOf(catalogue, kind);
  const keys = text.absent?.[section];
  const path = ["absent", section];
  if (keys === true) add("", path);
  else {
    for (const [key, index] of listed(keys)) {
      into.problems.push(...referenceProblems(key, from.of, { document, path: [...path, index] }));
      add(keyTextOf(file, keyFieldValues(file, key)), path, index);
    }
  }
}
