/** A fleet whose live state has little to do with its policies: everything is created, updated, disabled or deleted. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";

/** Of the soak's server. */
export const token = "soak-token";

export const pathOf = (index) => `group-${index % 20}/project-${index}`;

const names = ["MIT", "AGPL-3.0", "Apache-2.0", "BSD-3-Clause", "GPL/LGPL v2+"];

/** What the policies say of a project's licenses. */
export function licensesOf(index) {
  return Object.fromEntries(
    names.slice(0, 2 + (index % 4)).map((name, at) => [name, (index + at) % 3 === 0 ? "denied" : "allowed"]),
  );
}

export function seedOf(count) {
  const projects = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    path: pathOf(index),
    integrations: {
      ...(index % 2 === 0 && { "irc-gateway": { recipients: "#old", server_port: 1 } }),
      ...(index % 5 === 0 && { "external-wiki": { external_wiki_url: "https://old.example.com" } }),
    },
    licenses: { ...(index % 3 === 0 && { mit: "denied" }), ...(index % 7 === 0 && { WTFPL: "allowed" }) },
  }));
  return { projects };
}

/** One policy for all, and one a project for its licenses. */
export function policies(count) {
  const head = { apiVersion: "evenkeel/v1", kind: "Policy" };
  const everyone = {
    ...head,
    name: "everyone",
    projects: ["**"],
    vars: { channel: "#all" },
    integrations: {
      "chat-notifications-a": { webhook: { secret: "env:SOAK_HOOK" }, username: "${project.name}", push_events: true },
      "irc-gateway": { recipients: "${vars.channel}", server_port: 6659 },
    },
    disabled: ["external-wiki"],
    exclusive: ["licenses"],
  };
  const own = Array.from({ length: count }, (_, index) => {
    const policy = { ...head, name: `own-${index}`, projects: [pathOf(index)], licenses: licensesOf(index) };
    return [`own-${index}`, index % 4 === 0 ? { ...policy, vars: { channel: `#project-${index}` } } : policy];
  });
  return { everyone, ...Object.fromEntries(own) };
}

/** Writes a workspace that declares the fleet; `more` stands in its evenkeel.yaml beside what every soak needs. */
export function layOut(workspace, count, more) {
  mkdirSync(join(workspace, "policies"), { recursive: true });
  const settings = {
    apiVersion: "evenkeel/v1",
    kind: "Workspace",
    server: { tier: "ultimate" },
    concurrency: 16,
    requestTimeout: "2s",
    guards: { deletePercent: 100 },
    ...more,
  };
  writeFileSync(join(workspace, "evenkeel.yaml"), stringify(settings));
  for (const [name, policy] of Object.entries(policies(count)))
    writeFileSync(join(workspace, "policies", `${name}.yaml`), stringify(policy));
}

/** What the server holds, asked of it project by project: licenses that are there twice, or not as declared. */
export async function inspect(url, count) {
  const found = { duplicates: 0, wrong: 0 };
  for (let index = 0; index < count; index++) {
    const path = `/projects/${encodeURIComponent(pathOf(index))}/managed_licenses?per_page=100`;
    const response = await fetch(`${url}/api/v4${path}`, { headers: { "private-token": token } });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    const rows = await response.json();
    const statuses = new Map(rows.map(({ name, approval_status }) => [name.toLowerCase(), approval_status]));
    found.duplicates += rows.length - statuses.size;
    const declared = Object.entries(licensesOf(index));
    found.wrong += declared.filter(([name, status]) => statuses.get(name.toLowerCase()) !== status).length;
  }
  return found;
}
