import { type Dictionary, dictionaryOf } from "../base/nearest.ts";
import type { Problem, Project, Scalar } from "../model/types.ts";
import type { Document } from "./document.ts";
import type { Variable } from "./policies.ts";
import type { Path } from "./positions.ts";
import { problemAt } from "./problem.ts";
import { interpolate, isTemplate, longestText, type ProjectFact, parseReference, type Resolved } from "./template.ts";

/** Where a string that is being interpolated stands. */
export interface Spot {
  readonly document: Document;
  readonly path: Path;
}

/** What interpolations can refer to in one project. */
export interface Scope {
  readonly interpolate: (text: string, spot: Spot) => Resolved;
  /** Everything found wrong so far, and in the variables themselves. */
  readonly problems: () => readonly Problem[];
}

/** The variables are the winners of layering; each is resolved once. */
export function createScope(
  project: Project,
  vars: ReadonlyMap<string, Variable>,
  elsewhere: (variable: string) => boolean,
): Scope {
  const problems: Problem[] = [];
  const resolved = new Map<string, Resolved>();
  const around: Variable[] = [];
  let known: Dictionary | undefined;
  const meant = (name: string): string | undefined => {
    known ??= dictionaryOf(vars.keys());
    return known.nearest(name);
  };

  const fail = (message: string, spot: Spot): Resolved => {
    problems.push(problemAt("undefined-variable", message, spot));
    return "faulty";
  };

  const variable = (name: string, spot: Spot): Resolved => {
    if (elsewhere(name)) return "unknown";
    const found = vars.get(name);
    if (!found) return fail(undefinedVariable(name, meant(name)), spot);
    const before = resolved.get(name);
    if (before) return before;
    if (around.includes(found)) {
      problems.push(cycle(around.slice(around.indexOf(found))));
      return "faulty";
    }
    if (around.length >= deepest) {
      problems.push(problemAt("variable-size", `variables stand inside one another more than ${deepest} deep`, found));
      return "faulty";
    }
    around.push(found);
    const result = isTemplate(found.value) ? inside(found.value, found) : { value: found.value };
    around.pop();
    resolved.set(name, result);
    return result;
  };

  const refer = (name: string, spot: Spot): Resolved => {
    const reference = parseReference(name);
    // An unknown form was already told where the policy was read.
    if (!reference) return "faulty";
    if ("variable" in reference) return variable(reference.variable, spot);
    const value = factOf(project, reference.project);
    return value === undefined ? fail(unknownFact(reference.project, project), spot) : { value };
  };

  const inside = (text: string, spot: Spot): Resolved => {
    const result = interpolate(text, (name) => refer(name, spot));
    if (result !== "long") return result;
    problems.push(problemAt("variable-size", `its variables make more than ${longestText} characters of it`, spot));
    return "faulty";
  };

  return {
    interpolate: inside,
    problems: () => {
      for (const [name, spot] of vars) variable(name, spot);
      return problems;
    },
  };
}

/** Variables inside one another: more of them are no policy, and would exhaust the stack. */
const deepest = 100;

function factOf({ id, path }: Project, fact: ProjectFact): Scalar | undefined {
  const facts = { "project.id": id, "project.path": path, "project.name": path?.split("/").at(-1) };
  return facts[fact];
}

function unknownFact(fact: ProjectFact, { name }: Project): string {
  return `\${${fact}} is not known for project ${name}, which the server does not list`;
}

function undefinedVariable(name: string, meant: string | undefined): string {
  return `\${vars.${name}} is not defined by any policy for this project${meant ? `; did you mean ${meant}?` : ""}`;
}

/** Told at the variable that comes first by name, whichever of them was asked for first. */
function cycle(members: readonly Variable[]): Problem {
  const first = members.reduce((a, b) => (b.name < a.name ? b : a));
  const start = members.indexOf(first);
  const round = [...members.slice(start), ...members.slice(0, start), first].map(({ name }) => name);
  const message = `variable ${first.name} is made of itself: ${round.join(" -> ")}`;
  return problemAt("variable-cycle", message, first);
}
