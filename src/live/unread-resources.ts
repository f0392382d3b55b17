import { explained } from "../client/explain-failure.ts";
import { addressOf } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { identityOf, kindOf, sectionNameOf } from "../model/kinds.ts";
import type { DesiredProject, Problem, Resource } from "../model/types.ts";
import type { Unread } from "./partly-read.ts";

/** What nothing can be concluded about is left out, so that it is neither changed nor taken for absent. */
export function readableOf(catalogue: Catalogue, desired: DesiredProject, unread: readonly Unread[]): DesiredProject {
  if (unread.length === 0) return desired;
  const lists = new Set(unread.flatMap(({ kind, key }) => (key === undefined ? kind : [])));
  return {
    ...desired,
    kinds: new Set([...desired.kinds].filter((kind) => !lists.has(kind))),
    resources: desired.resources.filter((resource) => !unreadPart(catalogue, unread, resource)),
    exclusive: new Map([...desired.exclusive].filter(([kind]) => !lists.has(kind))),
  };
}

/** What kept a resource from being read, if anything did. */
export function unreadPart(
  catalogue: Catalogue,
  unread: readonly Unread[],
  { kind, key }: Pick<Resource, "kind" | "key">,
): Unread | undefined {
  const identity = identityOf(catalogue, { kind, key });
  return unread.find((part) =>
    part.key === undefined
      ? part.kind === kind
      : identityOf(catalogue, { kind: part.kind, key: part.key }) === identity,
  );
}

/** A part of a project that is not planned, at the line that declares it. */
export function unreadProblem(
  catalogue: Catalogue,
  { project, resources, exclusive }: DesiredProject,
  part: Unread,
): Problem {
  const declared = resources.find((resource) => unreadPart(catalogue, [part], resource));
  const origin = declared?.origin ?? exclusive.get(part.kind);
  const message = `${nameOf(catalogue, project.name, part)} could not be read and is left out of the plan: ${explained(part.failure)}`;
  const place = origin && { place: origin.place() };
  return { severity: "error", rule: "unreadable", message, ...place, project: project.name };
}

function nameOf(catalogue: Catalogue, project: string, { kind, key }: Unread): string {
  if (key !== undefined) return addressOf(project, kind, key);
  const whole = kindOf(catalogue, kind).read?.isSingle ? "" : "the list of ";
  return `${whole}${sectionNameOf(catalogue, kind)} of ${project}`;
}
