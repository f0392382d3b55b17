import { pick } from "../diff/changes.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { identityOf } from "../model/kinds.ts";
import { type LookUp, lookUpFields, lookUpsIn, mapFields, nameKey, withLookedUp } from "../model/look-ups.ts";
import { keyFieldsOf, keyTextOf, type ResourceKind, writtenCall } from "../model/resource-kind.ts";
import type { Desired, DesiredProject, Live, Plain, Problem } from "../model/types.ts";
import { type LookedUp, type LookedUpValues, lookUpKey } from "./look-up-values.ts";

/** What is desired, with what look-ups gave in place of what is written; what cannot be compared is left out on both sides. */
export interface LookedUpDesired {
  readonly desired: DesiredProject;
  readonly live: readonly Live[];
  readonly problems: readonly Problem[];
}

/**
 * Puts what look-ups gave in place of what people wrote. What does not exist yet, but is declared in the same project,
 * stays as it is written, and so does what the run replaces: `replaced` are their identities. What the run may create or
 * replace is looked up again when it is sent.
 */
export function resolved(
  catalogue: Catalogue,
  desired: DesiredProject,
  live: readonly Live[],
  values: LookedUpValues | undefined,
  replaced: ReadonlySet<string> = nothing,
): LookedUpDesired {
  if (!values) return { desired, live, problems: [] };
  const each = desired.resources.map((resource) =>
    resolvedResource(catalogue, desired, resource, { values, replaced }),
  );
  const failed = new Set(
    each.flatMap(({ problems }, index) => (problems.length > 0 ? desired.resources[index]?.identity : [])),
  );
  const isKept = (identity: string) => !failed.has(identity);
  return {
    desired: { ...desired, resources: each.map(({ resource }) => resource).filter(({ identity }) => isKept(identity)) },
    live: failed.size === 0 ? live : live.filter((one) => isKept(identityOf(catalogue, one))),
    problems: each.flatMap(({ problems }) => problems),
  };
}

const nothing: ReadonlySet<string> = new Set();

interface ResolvedResource {
  readonly resource: Desired;
  readonly problems: readonly Problem[];
}

function resolvedResource(
  catalogue: Catalogue,
  desired: DesiredProject,
  resource: Desired,
  { values, replaced }: { readonly values: LookedUpValues; readonly replaced: ReadonlySet<string> },
): ResolvedResource {
  const { name: project } = desired.project;
  const file = resource.presence === "present" ? catalogue.kinds.get(resource.kind)?.file : undefined;
  const fields = file ? lookUpFields(file).filter((name) => resource.fields[name] !== undefined) : [];
  if (!file || fields.length === 0) return { resource, problems: [] };
  const answerTo = (lookUp: LookUp): LookedUp => values[lookUpKey(project, lookUp)] ?? { why: "it was not looked up" };
  const names: Record<string, string> = {};
  const again = new Set<string>();
  const pending = new Set<string>();
  const problems: Problem[] = [];
  for (const name of fields) {
    for (const lookUp of lookUpsIn(file.fields.properties[name] ?? {}, resource.fields[name] ?? null)) {
      const answer = answerTo(lookUp);
      const own = declaredAs(catalogue, desired, lookUp);
      if (own) again.add(name);
      if (own?.identity !== undefined && replaced.has(own.identity)) pending.add(name);
      else if ("value" in answer) names[nameKey(lookUp.template, answer.value)] = lookUp.value;
      else if (answer.isGone && own) pending.add(name);
      else problems.push(problemOf(project, resource, name, lookUp, answer.why));
    }
  }
  const known = fields.filter((name) => !pending.has(name));
  const foundValue = (lookUp: LookUp): Plain => {
    const answer = answerTo(lookUp);
    return "value" in answer ? answer.value : lookUp.value;
  };
  const found = mapFields(file, resource.fields, known, (field, value) => withLookedUp(field, value, foundValue));
  const lookedUp = { names, again: pick(resource.fields, [...again]), pending: [...pending] };
  return { resource: { ...resource, fields: found, lookedUp }, problems };
}

function problemOf(project: string, { kind, origin }: Desired, name: string, { value }: LookUp, why: string): Problem {
  const place = origin.fieldPlace?.(name) ?? origin.place();
  const message = `${name}: ${JSON.stringify(value)} could not be looked up, so this ${kind} is left out of the plan: ${why}`;
  return { severity: "error", rule: "look-up", message, place, project };
}

/** What the manifests declare by the name of a look-up, so that it exists once they are applied. */
function declaredAs(
  catalogue: Catalogue,
  { resources }: DesiredProject,
  { template, value }: LookUp,
): Desired | undefined {
  const path = template.slice(template.indexOf(" ") + 1).split("?")[0] ?? "";
  return resources.find(({ kind, presence, key }) => {
    const file = catalogue.kinds.get(kind)?.file;
    return file !== undefined && presence === "present" && isKeyOf(file, path, key, value);
  });
}

function isKeyOf(file: ResourceKind, path: string, key: string, value: string): boolean {
  const list = file.calls.list === undefined ? undefined : writtenCall(file.calls.list).path.split("?")[0];
  const [first = ""] = keyFieldsOf(file);
  return path === `${list}/:value` && key === keyTextOf(file, { [first]: value });
}
