/** A fleet whose live state has little to do with its policies: everything is created, updated, disabled or deleted. */

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
