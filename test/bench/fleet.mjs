/** A fleet of projects that is in sync with one manifest per project: 5 integrations and 20 licenses each. */

const licenses = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`License-${index}.0`, index % 3 === 0 ? "denied" : "allowed"]),
);

const path = (index) => `group-${index % 50}/project-${index}`;

function integrationsOf(index) {
  const project = path(index);
  const tracker = `https://bugs.example.com/${project}`;
  return {
    "issue-tracker-links-a": { project_url: tracker, issues_url: `${tracker}/:id`, new_issue_url: `${tracker}/new` },
    "external-wiki": { external_wiki_url: `https://wiki.example.com/${project}` },
    "irc-gateway": { recipients: `#${project}`, server_port: 6659, colorize_messages: true },
    "emails-on-push": { recipients: "dev@example.com ops@example.com", disable_diffs: true, push_events: true },
    "pipelines-email": { recipients: "dev@example.com", notify_only_broken_pipelines: true, pipeline_events: true },
  };
}

export const slugs = Object.keys(integrationsOf(0));

export function seedOf(count, unmanaged = 0) {
  const others = Array.from({ length: unmanaged }, (_, index) => [`Other-${index}.0`, "allowed"]);
  const projects = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    path: path(index),
    repository_storage: "default",
    integrations: integrationsOf(index),
    licenses: { ...licenses, ...Object.fromEntries(others) },
  }));
  return { storages: ["default"], projects };
}

/** Every project's path, in order. */
export const paths = (count) => Array.from({ length: count }, (_, index) => path(index));

/** One manifest a project, as text: what a team would have without layers. */
export const manifestOf = (index) => textOf(`project-${index}`, path(index), integrationsOf(index));

/**
 * The same fleet from layers: what holds for everyone, and a var for each of 50 groups.
 * `changed`: so many groups want other recipients than the server has.
 */
export function layers({ changed = 0 } = {}) {
  const own = JSON.parse(JSON.stringify(integrationsOf(0)).replaceAll(path(0), "${project.path}"));
  const everyone = textOf("everyone", "**", own);
  const groups = Array.from({ length: 50 }, (_, group) => groupText(group, group < changed));
  return [everyone.replaceAll('"dev@example.com ops@example.com"', "${vars.team}"), ...groups].join("---\n");
}

function groupText(group, isChanged) {
  return `apiVersion: evenkeel/v1
kind: Policy
name: group-${group}
projects: ["group-${group}/**"]
vars: { team: dev@example.com ${isChanged ? "night" : "ops"}@example.com }
`;
}

function textOf(name, selector, integrations) {
  const entries = Object.entries(integrations).map(([slug, parameters]) => {
    const lines = Object.entries(parameters).map(([name, value]) => `    ${name}: ${JSON.stringify(value)}`);
    return `  ${slug}:\n${lines.join("\n")}`;
  });
  const statuses = Object.entries(licenses).map(([license, status]) => `  ${license}: ${status}`);
  return `apiVersion: evenkeel/v1
kind: Policy
name: ${name}
projects: ["${selector}"]
integrations:
${entries.join("\n")}
licenses:
${statuses.join("\n")}
`;
}
