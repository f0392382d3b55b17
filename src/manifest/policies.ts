import { isDay } from "../base/day.ts";
import { memoized } from "../base/memoize.ts";
import { policyKinds } from "../model/kinds.ts";
import type { Owner } from "../model/owner.ts";
import type { Kind, Origin, Problem, Scalar } from "../model/types.ts";
import { type Condition, compileWhere } from "./condition.ts";
import type { Document } from "./document.ts";
import { readHead } from "./document-head.ts";
import { type From, type PolicyEntry, type Stated, stated } from "./entries.ts";
import { checkPolicy } from "./policy-checks.ts";
import { ownerOfPolicy, type PolicyText, type SelectorKey, selectorKeys } from "./policy-text.ts";
import { readEntries } from "./read-entries.ts";
import type { Declared } from "./resource-fields.ts";
import { type Selector, selectorOf } from "./selector.ts";
import { listed, shape } from "./shape.ts";
import type { Loaded, Workspace } from "./workspace.ts";

/** A policy, parsed and checked on its own. */
export interface Policy {
  readonly name: string;
  readonly document: Document;
  /** The owner to which the policy applies. */
  readonly of: Owner;
  /** The key of the list of its selectors. */
  readonly selects: SelectorKey;
  /** Selectors of projects or, with a slash at the end, of groups. */
  readonly projects: readonly Selector[];
  readonly except: readonly Selector[];
  /** Limits the selection by a condition. */
  readonly where?: Condition;
  /** True if it also applies to archived projects and those scheduled for deletion. */
  readonly includesArchived: boolean;
  readonly priority: number;
  /** True if it overrides every policy that is not enforced. */
  readonly enforce: boolean;
  readonly vars: readonly Variable[];
  readonly entries: readonly PolicyEntry[];
  /** Kinds of resources that it declares. */
  readonly kinds: ReadonlySet<Kind>;
  readonly exclusive: ReadonlyMap<Kind, Origin>;
  /** The last day on which it applies. */
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

/** All policies, with the problems of each document on its own. */
export function readPolicies({ documents, workspace }: Pick<Loaded, "documents" | "workspace">): Policies {
  const policies: Policy[] = [];
  const problems: Problem[] = [];
  const plaintext = new Map<string, string>();
  const read = readerFor(workspace);
  for (const document of documents) {
    const result = read(document);
    for (const problem of result.problems) problems.push(problem);
    if (result.policy) policies.push(result.policy);
    for (const [reference, literal] of result.plaintext) plaintext.set(reference, literal);
  }
  return { policies, problems, plaintext };
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
  const checked = checkPolicy({ document, text, workspace });
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
  const { entries, problems, plaintext } = readEntries(from, text, workspace);
  const selects = selectorKeys[of];
  const where = text.where === undefined ? undefined : readWhere(text.where, of);
  const exclusive = text.exclusive === undefined ? noExclusive : readExclusive(from, text.exclusive);
  const policy: Policy = {
    name,
    document,
    of,
    selects,
    projects: listed(text[selects]).map(([selector]) => selectorOf(selector, of)),
    except: text.except === undefined ? none : listed(text.except).map(([selector]) => selectorOf(selector, of)),
    ...(where && { where }),
    includesArchived: (text.archived ?? workspace.archived) === "include",
    priority: text.priority ?? 0,
    enforce: text.enforce === true,
    vars: text.vars === undefined ? none : readVariables(document, name, text.vars),
    entries,
    kinds: collectKinds(entries, exclusive),
    exclusive,
    ...end,
    ...why,
  };
  return { policy, problems, plaintext };
}

/** The condition of a policy. An invalid expression, which is reported, selects nothing. */
function readWhere(text: string, of: Owner): Condition {
  const compiled = compileWhere(of)(text);
  return "fault" in compiled ? { text, evaluate: () => undefined } : compiled;
}

function collectKinds(entries: readonly PolicyEntry[], exclusive: ReadonlyMap<Kind, Origin>): ReadonlySet<Kind> {
  const kinds = new Set<Kind>();
  for (const { desired } of entries) kinds.add(desired.kind);
  for (const kind of exclusive.keys()) kinds.add(kind);
  return kinds;
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
