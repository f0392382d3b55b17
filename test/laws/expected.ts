import type { Fleet, WrittenPolicy } from "./fleet.ts";
import { secretValue, type Written } from "./values.ts";

/** What policies come to for one project, worked out again here in the plainest way, to hold the program against. */
export interface Expected {
  readonly path: string;
  readonly id: number;
  /** Parameters by slug, secrets resolved; undefined for what is disabled. */
  readonly integrations: ReadonlyMap<string, Readonly<Record<string, string | number | boolean>> | undefined>;
  /** Name and status by the name in lower case. */
  readonly licenses: ReadonlyMap<string, { readonly name: string; readonly status: string }>;
  readonly exclusive: ReadonlySet<string>;
}

type Project = Fleet["projects"][number];

const current: Readonly<Record<string, string>> = { approved: "allowed", blacklisted: "denied" };

export function expectedOf({ projects, policies }: Fleet): Expected[] {
  return projects
    .map((project) => expectedFor(project, ranked(project, policies)))
    .filter((each) => each !== undefined);
}

/** The least specific policy first, so that nearer ones overwrite it. */
function ranked(project: Project, policies: readonly WrittenPolicy[]): WrittenPolicy[] {
  const rank = ({ projects }: WrittenPolicy) =>
    Math.max(...projects.filter((one) => matches(one, project)).map(weight));
  return policies
    .filter(
      ({ projects, except = [] }) =>
        [projects, except].map((list) => list.some((one) => matches(one, project))).join() === "true,false",
    )
    .sort((a, b) => Number(a.enforce) - Number(b.enforce) || rank(a) - rank(b) || a.priority - b.priority);
}

function matches(selector: string | number, { id, path }: Project): boolean {
  if (typeof selector === "number") return selector === id;
  const [wanted, given] = [selector.toLowerCase(), path.toLowerCase()];
  if (wanted === "**") return true;
  if (wanted === "*/*") return given.split("/").length === 2;
  return wanted.endsWith("/**") ? given.startsWith(wanted.slice(0, -2)) : wanted === given;
}

function weight(selector: string | number): number {
  const text = String(selector);
  return text.includes("*") ? text.replaceAll("*", "").length : 1000;
}

function expectedFor(project: Project, layers: readonly WrittenPolicy[]): Expected | undefined {
  if (layers.length === 0) return undefined;
  const written = new Map<string, Readonly<Record<string, Written>> | undefined>();
  const licenses = new Map<string, { name: string; status: string }>();
  for (const layer of layers) {
    for (const [slug, fields] of Object.entries(layer.integrations)) written.set(slug, fields);
    for (const slug of layer.disabled) written.set(slug, undefined);
    for (const [name, status] of Object.entries(layer.licenses)) {
      licenses.set(name.toLowerCase(), { name, status: current[status] ?? status });
    }
  }
  const vars = Object.assign({}, ...layers.map((layer) => layer.vars)) as WrittenPolicy["vars"];
  const integrations = new Map(
    [...written].map(([slug, fields]) => [slug, fields && resolved(slug, fields, vars, project)]),
  );
  return { ...project, integrations, licenses, exclusive: new Set(layers.flatMap(({ exclusive }) => exclusive)) };
}

function resolved(
  slug: string,
  fields: Readonly<Record<string, Written>>,
  vars: WrittenPolicy["vars"],
  project: Project,
) {
  const values = Object.entries(fields).map(([name, value]) => [name, resolvedValue(value, vars, project)]);
  const off = slug === "issue-tracker-full" ? { active: false } : {};
  return { ...off, ...(Object.fromEntries(values) as Record<string, Told>) };
}

type Told = string | number | boolean | readonly string[];

function resolvedValue(value: Written, vars: WrittenPolicy["vars"], project: Project): Told {
  if (typeof value === "object" && "secret" in value) return secretValue(value.secret.replace("env:", ""));
  if (typeof value !== "string") return value;
  if (value === "${vars.flag}") return vars.flag ?? false;
  return value.replace(/\$\$\{|\$\{([^}]*)\}/g, (found, name: string | undefined) => {
    if (found === "$${") return "${";
    const facts: Record<string, string> = {
      "project.path": project.path,
      "project.name": project.path.split("/").at(-1) ?? "",
      "project.id": String(project.id),
    };
    return facts[name ?? ""] ?? String(resolvedValue(vars[(name ?? "").replace("vars.", "")] ?? "", vars, project));
  });
}
