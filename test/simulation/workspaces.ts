import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Program, Start } from "./build.ts";
import type { Kernel } from "./kernel.ts";
import type { ServedProject } from "./service.ts";

export type Checked = ReturnType<Program["validateWorkspace"]>;

/** What all simulated processes have in their environment. */
export const environment = {
  EVENKEEL_URL: "https://code.example.com",
  EVENKEEL_TOKEN: "a-token-of-the-simulation",
  EVENKEEL_STATE: "postgres://sim@db/sim?sslmode=disable",
  EVENKEEL_LEASE: "3s",
  EVENKEEL_WORKER_WAIT: "2s",
};

export const lease = 3000;
export const requestTimeout = 1000;
export const rateLimit = { requests: 30, per: 1000 };

/** A workspace as every run of a simulation finds it. */
export interface Workspaces {
  readonly unlimited: Checked;
  readonly limited: Checked;
}

const settings = `apiVersion: evenkeel/v1
kind: Workspace
name: w
requestTimeout: ${requestTimeout / 1000}s
`;

const policy = `apiVersion: evenkeel/v1
kind: Policy
name: all
projects: ["group/*"]
licenses: { MIT: allowed, AGPL-3.0: denied }
integrations: { external-wiki: { external_wiki_url: https://wiki.example.com } }
disabled: [irc-gateway]
`;

/** Reads the workspace of the simulations once, by the program's own modules. */
export async function readWorkspaces(start: Start): Promise<Workspaces> {
  const globals = { Date, performance, random: Math.random, setTimeout, clearTimeout, setInterval, clearInterval };
  const aborting = { AbortController, AbortSignal };
  const platform = { globals: { ...globals, ...aborting, opened: undefined, sharedState: undefined }, modules: {} };
  const { loadWorkspace, validateWorkspace } = start(platform);
  const root = mkdtempSync(join(tmpdir(), "evenkeel-simulation-"));
  const read = (name: string, more: string): Checked => {
    const folder = join(root, name);
    mkdirSync(folder);
    writeFileSync(join(folder, "evenkeel.yaml"), settings + more);
    writeFileSync(join(folder, "policy.yaml"), policy);
    const checked = validateWorkspace(loadWorkspace(folder, environment), { folder, env: environment });
    if (checked.problems.length > 0) throw new Error(JSON.stringify(checked.problems));
    return checked;
  };
  try {
    const rate = `rateLimit: ${rateLimit.requests}/s\n`;
    return { unlimited: read("unlimited", ""), limited: read("limited", rate) };
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Some projects, each as far from what is declared as chance has it. */
export function someProjects(kernel: Kernel): ServedProject[] {
  const count = kernel.pick([1, 2, 2, 3, 3, 4, 6]);
  return Array.from({ length: count }, (_, index) => {
    const project: ServedProject = {
      id: index + 1,
      path: `group/p${index + 1}`,
      licenses: [],
      integrations: new Map(),
    };
    disturb(kernel, project);
    return project;
  });
}

export function isInSync({ licenses, integrations }: ServedProject): boolean {
  const told = licenses.map(({ name, approval_status }) => `${name} ${approval_status}`).sort();
  const { active, values } = integrations.get("external-wiki") ?? { active: false, values: {} };
  const isOff = !integrations.get("irc-gateway")?.active;
  const isRight = active && values.external_wiki_url === "https://wiki.example.com";
  return isOff && isRight && told.join() === "AGPL-3.0 denied,MIT allowed";
}

export function disturb(kernel: Kernel, { licenses, integrations, id }: ServedProject): void {
  licenses.length = 0;
  for (const [index, name] of ["MIT", "AGPL-3.0"].entries()) {
    const approval_status = kernel.is(0.5) ? "allowed" : "denied";
    if (kernel.is(0.4)) licenses.push({ id: id * 10 + index, name, approval_status });
  }
  integrations.clear();
  if (kernel.is(0.5)) integrations.set("irc-gateway", { active: true, values: { recipients: "ada" } });
  if (kernel.is(0.5))
    integrations.set("external-wiki", { active: true, values: { external_wiki_url: "https://old.example.com" } });
}
