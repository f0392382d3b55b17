import { integrations, listedFlags } from "../model/catalogue.ts";
import type { Fault } from "./checked-yaml.ts";
import type { Seed, SeedProject } from "./seed.ts";

const approvalStatuses = ["allowed", "denied", "approved", "blacklisted"];

/** Mistakes in a seed of the right shape: what is given twice, and parameters and words that the spec does not have. */
export function seedProblems(seed: Seed): Fault[] {
  const projects = seed.projects ?? [];
  return [
    ...twice(projects, "id", ({ id }) => id),
    ...twice(projects, "path", ({ path }) => path.toLowerCase()),
    ...projects.flatMap((project, index) => projectFaults(project, ["projects", String(index)])),
  ];
}

function twice(projects: readonly SeedProject[], word: string, of: (project: SeedProject) => unknown): Fault[] {
  const seen = new Set<unknown>();
  return projects.flatMap((project, index) => {
    const value = of(project);
    const repeated = value !== undefined && seen.has(value);
    seen.add(value);
    return repeated ? [{ path: ["projects", String(index), word], message: `${word} ${value} is given twice` }] : [];
  });
}

function projectFaults(project: SeedProject, path: readonly string[]): Fault[] {
  const faults: Fault[] = [];
  if (/^\d+$/.test(project.path)) {
    faults.push({ path: [...path, "path"], message: "a path of digits alone would be read as an ID" });
  }
  for (const [slug, values] of Object.entries(project.integrations ?? {})) {
    faults.push(...parameterFaults(slug, Object.keys(values ?? {}), [...path, "integrations", slug]));
  }
  for (const [name, status] of Object.entries(project.licenses ?? {})) {
    if (approvalStatuses.includes(status)) continue;
    faults.push({ path: [...path, "licenses", name], message: `expected one of ${approvalStatuses.join(", ")}` });
  }
  return [...faults, ...timeFaults(project, [...path, "deployments"])];
}

function timeFaults({ deployments }: SeedProject, path: readonly string[]): Fault[] {
  return (deployments ?? []).flatMap((deployment, index) =>
    (["created_at", "updated_at"] as const)
      .filter((name) => Number.isNaN(Date.parse(deployment[name] ?? "2000-01-01")))
      .map((name) => ({ path: [...path, String(index), name], message: "expected a time in ISO 8601" })),
  );
}

/** Slugs that the catalogue does not have are let through: deployed servers have some, and clients must bear them. */
function parameterFaults(slug: string, names: readonly string[], path: readonly string[]): Fault[] {
  const integration = integrations.get(slug);
  if (!integration) return [];
  const known = new Set([...integration.parameters.keys(), ...listedFlags, "active", "created_at", "updated_at"]);
  return names
    .filter((name) => !known.has(name))
    .map((name) => ({ path: [...path, name], message: `unknown parameter ${name} of ${slug}` }));
}
