import type { Kernel } from "./kernel.ts";

interface License {
  readonly id: number;
  readonly name: string;
  approval_status: string;
}

interface Integration {
  active: boolean;
  /** How often it was written. */
  version?: number;
  values: Record<string, unknown>;
}

export interface ServedProject {
  readonly id: number;
  readonly path: string;
  readonly licenses: License[];
  readonly integrations: Map<string, Integration>;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

export interface Answered {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Write {
  readonly address: string;
  readonly creates: boolean;
}

/** The server: the part of the API that a run needs. It keeps no index that would refuse a second license of a name. */
export class Service {
  readonly projects: readonly ServedProject[];
  readonly kernel: Kernel;
  isUp = true;
  #number = 1000;

  constructor(kernel: Kernel, projects: readonly ServedProject[]) {
    this.kernel = kernel;
    this.projects = projects;
  }

  outage(milliseconds: number): void {
    if (!this.isUp) return;
    this.kernel.tell("server", `is killed, for ${Math.round(milliseconds)} ms`);
    this.isUp = false;
    this.kernel.after(milliseconds, () => this.heal());
  }

  heal(): void {
    if (!this.isUp) this.kernel.tell("server", "is there again");
    this.isUp = true;
  }

  /** What a write is about; undefined for what reads. */
  writeOf({ method, path, body }: Asked): Write | undefined {
    if (method === "GET") return undefined;
    const { project, kind, key } = this.#route(path);
    if (!project) return undefined;
    if (kind === "integrations") return { address: `${project.path}:integration/${key}`, creates: false };
    const name = key === undefined ? new URLSearchParams(body ?? "").get("name") : licenseOf(project, key)?.name;
    return { address: `${project.path}:license/${name ?? `gone (${key})`}`, creates: method === "POST" };
  }

  answer({ method, path, body }: Asked): Answered {
    if (path.startsWith("/api/v4/projects?")) return { status: 200, body: this.projects.map(projectRow) };
    const { project, kind, key } = this.#route(path);
    if (!project) return notFound;
    if (kind === "integrations") return this.#integration(method, project, key, body);
    if (kind === "managed_licenses") return this.#license(method, project, key, body);
    return { status: 200, body: projectRow(project) };
  }

  #route(path: string) {
    const [, id = "", kind, key] = /^\/api\/v4\/projects\/([^/?]+)(?:\/(\w+))?(?:\/([^/?]+))?/.exec(path) ?? [];
    const name = decodeURIComponent(id);
    const project = this.projects.find((each) => each.path === name || String(each.id) === name);
    return { project, kind, key: key === undefined ? undefined : decodeURIComponent(key) };
  }

  #license(method: string, project: ServedProject, key: string | undefined, body: string | null): Answered {
    const given = new URLSearchParams(body ?? "");
    const status = given.get("approval_status") ?? "";
    if (key === undefined) {
      if (method === "GET") return { status: 200, body: project.licenses.map((each) => ({ ...each })) };
      const license = { id: ++this.#number, name: given.get("name") ?? "", approval_status: status };
      project.licenses.push(license);
      return { status: 201, body: { ...license } };
    }
    const license = licenseOf(project, key);
    if (!license) return notFound;
    if (method === "DELETE") {
      project.licenses.splice(project.licenses.indexOf(license), 1);
      return { status: 204 };
    }
    license.approval_status = status;
    return { status: 200, body: { ...license } };
  }

  #integration(method: string, project: ServedProject, slug: string | undefined, body: string | null): Answered {
    const row = (name: string, { active, version = 0, values }: Integration) => {
      const updated = new Date(Date.UTC(2026, 10, 21) + version).toISOString();
      return { id: 1, slug: name, title: name, active, updated_at: updated, properties: values };
    };
    const { integrations } = project;
    if (slug === undefined) {
      const active = [...integrations].filter(([, each]) => each.active);
      return { status: 200, body: active.map(([name, each]) => row(name, each)) };
    }
    const found = integrations.get(slug);
    if (method === "PUT") {
      const values = Object.fromEntries(new URLSearchParams(body ?? ""));
      const version = (found?.version ?? 0) + 1;
      integrations.set(slug, { active: true, version, values: { ...found?.values, ...values } });
      return { status: 200, body: row(slug, integrations.get(slug) as Integration) };
    }
    if (!found?.active) return notFound;
    if (method === "DELETE") {
      found.active = false;
      return { status: 204 };
    }
    return { status: 200, body: row(slug, found) };
  }
}

const notFound: Answered = { status: 404, body: { message: "404 Not found" } };

function projectRow({ id, path }: ServedProject) {
  return { id, path_with_namespace: path, name: path };
}

function licenseOf({ licenses }: ServedProject, key: string): License | undefined {
  return licenses.find(({ id, name }) => String(id) === key || name === key);
}
