import { didYouMean } from "../base/nearest.ts";
import { bareName, describeOwner, ownerOfName } from "../model/owner.ts";
import type { Problem, Project, Scalar } from "../model/types.ts";
import type { Variable } from "./policies.ts";
import { type ManifestLocation, problemAt, type Rule } from "./problem.ts";
import {
  factsOf,
  interpolate,
  isTemplate,
  longestText,
  type ProjectFact,
  parseReference,
  type Resolved,
} from "./template.ts";

/** Returns a placeholder for an unknown fact of a project; undefined if that is a problem. */
export type StandIn = (fact: ProjectFact) => Scalar | undefined;

/** The values that interpolations of one project can refer to; each variable in effect is resolved once. */
export class VariableScope {
  readonly project: Project;
  readonly #problems: Problem[] = [];
  readonly #vars: ReadonlyMap<string, Variable>;
  readonly #elsewhere: (variable: string) => boolean;
  readonly #placeholderFor: StandIn;
  readonly #resolved = new Map<string, Resolved>();
  readonly #around: Variable[] = [];

  constructor(
    project: Project,
    vars: ReadonlyMap<string, Variable>,
    elsewhere: (variable: string) => boolean,
    placeholderFor: StandIn = () => undefined,
  ) {
    this.project = project;
    this.#vars = vars;
    this.#elsewhere = elsewhere;
    this.#placeholderFor = placeholderFor;
  }

  interpolate(text: string, location: ManifestLocation): Resolved {
    const result = interpolate(text, (name) => this.#reference(name, location));
    if (result !== "long") return result;
    return this.#fail("variable-size", `it expands to more than ${longestText} characters`, location);
  }

  /** All problems so far, including those of the variables themselves. */
  problems(): readonly Problem[] {
    for (const [name, variable] of this.#vars) if (isTemplate(variable.value)) this.#variable(name, variable);
    return this.#problems;
  }

  #variable(name: string, location: ManifestLocation): Resolved {
    if (this.#elsewhere(name)) return "unknown";
    const found = this.#vars.get(name);
    if (found) return this.#resolved.get(name) ?? this.#resolve(found);
    const meant = this.#problems.length < mostSuggested ? didYouMean(name, this.#vars.keys()) : "";
    const message = `\${vars.${name}} is not defined by any policy for this project${meant}`;
    return this.#fail("undefined-variable", message, location);
  }

  #resolve(found: Variable): Resolved {
    if (this.#around.includes(found)) {
      this.#problems.push(cycle(this.#around.slice(this.#around.indexOf(found))));
      return "faulty";
    }
    if (this.#around.length >= deepest) {
      return this.#fail("variable-size", `variables are nested more than ${deepest} levels deep`, found);
    }
    this.#around.push(found);
    const result = isTemplate(found.value) ? this.interpolate(found.value, found) : { value: found.value };
    this.#around.pop();
    this.#resolved.set(found.name, result);
    return result;
  }

  #reference(name: string, location: ManifestLocation): Resolved {
    const reference = parseReference(name);
    // An unknown form, and a fact of a group for a project, were already reported when the policy was read.
    if (!reference) return "faulty";
    if ("variable" in reference) return this.#variable(reference.variable, location);
    if (!factsOf[ownerOfName(this.project.name)].includes(reference.project)) return "faulty";
    const value = factOf(this.project, reference.project) ?? this.#placeholderFor(reference.project);
    if (value !== undefined) return { value };
    const where = `${describeOwner(this.project.name)}, which the server does not list`;
    return this.#fail("undefined-variable", `\${${reference.project}} is not known for ${where}`, location);
  }

  #fail(rule: Rule, message: string, location: ManifestLocation): Resolved {
    this.#problems.push(problemAt(rule, message, location));
    return "faulty";
  }
}

const deepest = 100;

/** Further problems of a project have no suggestion, because each compares all variables. */
const mostSuggested = 100;

function factOf(project: Project, fact: ProjectFact): Scalar | undefined {
  const [, part] = fact.split(".");
  if (part === "id") return project.id;
  const path = project.path && bareName(project.path);
  return part === "path" ? path : path?.split("/").at(-1);
}

/** Reported at the first variable by name, independent of the order of resolution. */
function cycle(members: readonly Variable[]): Problem {
  const first = members.reduce((a, b) => (b.name < a.name ? b : a));
  const start = members.indexOf(first);
  const round = [...members.slice(start), ...members.slice(0, start), first].map(({ name }) => name);
  const message = `variable ${first.name} refers to itself: ${round.join(" -> ")}`;
  return problemAt("variable-cycle", message, first);
}
