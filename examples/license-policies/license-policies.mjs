// Writes license approval policies, which replace managed licenses from release 16.0 on, from the desired licenses of a
// workspace: node license-policies.mjs WORKSPACE [RELEASE] [APPROVER] > policy.yml
// It sends nothing. Projects that only a glob selects are not known here: name them in a policy.
import { desired, load, problemLine, projectsOf, validate } from "evenkeel";
import { stringify } from "yaml";

const [folder = ".", release = "17.0", approver = "role:maintainer"] = process.argv.slice(2);

/** How releases spell these policies (GitLab documentation: Merge request approval policies). */
const isCurrent = Number.parseFloat(release) >= 17;
const section = isCurrent ? "approval_policy" : "scan_result_policy";
const match = isCurrent ? "match_on_inclusion_license" : "match_on_inclusion";

const { policies, problems } = validate(load(folder));
// That the release of the workspace has no managed licenses is why this file is needed.
const errors = problems.filter(({ severity, rule }) => severity === "error" && rule !== "release");
if (errors.length > 0) {
  console.error(errors.map(problemLine).join("\n"));
  process.exit(1);
}

/** Projects with the same licenses share a policy. */
const groups = new Map();
for (const project of projectsOf(policies).projects) {
  const { resources } = desired(policies, project).desired;
  const licenses = resources.filter(({ kind, presence }) => kind === "license" && presence === "present");
  if (licenses.length === 0) continue;
  const statuses = licenses.map(({ key, fields }) => [key, Object.values(fields)[0]]).sort();
  const key = JSON.stringify(statuses);
  groups.set(key, { statuses, projects: [...(groups.get(key)?.projects ?? []), project] });
}

function ruleOf(isDenied, names) {
  return {
    type: "license_finding",
    branches: [],
    [match]: isDenied,
    // Servers compare names of the SPDX list, such as MIT License: replace identifiers by hand.
    license_types: names,
    license_states: ["newly_detected", "detected"],
  };
}

function policyOf({ statuses, projects }) {
  const named = (status) => statuses.filter((pair) => pair[1] === status).map(([name]) => name);
  const [denied, allowed] = [named("denied"), named("allowed")];
  const including = projects.flatMap(({ id }) => (id === undefined ? [] : [{ id }]));
  const more = projects.length > 1 ? ` and ${projects.length - 1} more` : "";
  const [kind, name] = approver.split(":");
  return {
    name: `Licenses of ${projects[0].name}${more}`,
    description: `For ${projects.map((project) => project.name).join(", ")}`.slice(0, 255),
    enabled: true,
    // Without IDs, the policy applies to every project that is linked to the security-policy project.
    ...(including.length === projects.length && { policy_scope: { projects: { including } } }),
    rules: [
      ...(denied.length > 0 ? [ruleOf(true, denied)] : []),
      // An allow list: every license that is not listed needs approval, which managed licenses did not ask for.
      ...(allowed.length > 0 ? [ruleOf(false, allowed)] : []),
    ],
    actions: [{ type: "require_approval", approvals_required: 1, [`${kind}_approvers`]: [name] }],
  };
}

const file = [...groups.values()].map(policyOf);
if (file.length > 5) console.error(`warning: ${file.length} policies, and a security-policy project may hold 5`);
process.stdout.write(stringify({ [section]: file }, { lineWidth: 0 }));
