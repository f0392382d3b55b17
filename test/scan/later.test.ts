import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { schedule } from "../../src/model/deprecations.ts";
import { includedFiles } from "../../src/scan/pipelines.ts";
import { scanText } from "../../src/scan/scan.ts";

/** Uses of removals after 15.0: a file, its text, and what a scan for 19.1 finds. */
const uses: readonly (readonly [file: string, text: string, ...found: string[]])[] = [
  ["a.sh", 'curl -H "PRIVATE-TOKEN: $T" -d @ci.json "$CI_API_V4_URL/ci/lint"', "error api-ci-lint"],
  ["a.sh", 'curl "$CI_API_V4_URL/projects/1/ci/lint"'],
  [
    "a.sh",
    'curl -X PUT -d "operations_access_level=private" "$CI_API_V4_URL/projects/1"',
    "error api-operations-access-level",
  ],
  ["a.sh", 'curl -X PUT -d "monitor_access_level=private" "$CI_API_V4_URL/projects/1"'],
  ["a.sh", 'curl "$CI_API_V4_URL/projects/1/managed_licenses"', "error managed-licenses"],
  [
    "a.sh",
    'curl "$CI_API_V4_URL/projects/1/dora/metrics?metric=lead_time&environment_tier=production"',
    "error api-dora-environment-tier",
  ],
  ["a.sh", 'curl "$CI_API_V4_URL/projects/1/dora/metrics?metric=lead_time&environment_tiers=production"'],
  [
    "a.sh",
    'curl -X PUT -d "confidential=true" "$CI_API_V4_URL/projects/1/issues/2/notes/3"',
    "error api-notes-confidential",
  ],
  ["a.sh", 'curl -X POST -d "confidential=true" "$CI_API_V4_URL/projects/1/issues/2/notes"'],
  [
    "a.sh",
    'curl -X POST "$CI_API_V4_URL/groups/1/runners/reset_registration_token"',
    "warning api-reset-registration-token",
  ],
  ["a.sh", "sudo gitlab-runner exec docker build", "error runner-exec"],
  ["a.sh", "kubectl exec pod -- gitlab-runner verify"],
  ["a.sh", 'gitlab-runner register --registration-token "$T"', "warning runner-registration-arguments"],
  ["a.sh", 'gitlab-runner register --token "$T"'],
  ["config.toml", '[[runners]]\n  executor = "docker+machine"\n', "warning runner-docker-machine"],
  ["config.toml", '[[runners]]\n  executor = "docker"\n'],
  ["config.toml", '[[runners]]\n  executor = "shell"\n  shell = "cmd"\n', "error runner-windows-cmd"],
  [".gitlab-ci.yml", "include:\n  - template: Terraform.latest.gitlab-ci.yml\n", "error terraform-templates"],
  [".gitlab-ci.yml", "include:\n  - template: OpenTofu.gitlab-ci.yml\n"],
  [".gitlab-ci.yml", "variables:\n  DAST_HTML_REPORT: r.html\n", "error dast-report-variables"],
  [".gitlab-ci.yml", "dast:\n  script: x\n  variables: { DAST_ZAP_CLI_OPTIONS: x }\n", "error dast-zap-variables"],
  ["a.graphql", "mutation { vulnerabilityFindingDismiss(input: {}) { errors } }", "error graphql-finding-dismiss"],
  [
    "a.graphql",
    '{ group(fullPath: "g") { iterations(state: started) { nodes { id } } } }',
    "error graphql-iteration-started",
  ],
  ["a.graphql", '{ group(fullPath: "g") { iterations(state: current) { nodes { id } } } }'],
  [
    "a.graphql",
    '{ project(fullPath: "p") { pipeline(iid: 1) { securityReportFindings { nodes { name title } } } } }',
    "error graphql-finding-name",
  ],
  [
    "a.graphql",
    '{ project(fullPath: "p") { scanResultPolicies { nodes { name } } } }',
    "warning graphql-scan-result-policies",
  ],
];

const scan = (file: string, text: string, release: string) =>
  scanText(
    { file, text, release },
    includedFiles([file], () => text),
  ).findings.map(({ severity, id }) => `${severity} ${id}`);

it.each(uses)("finds in %s %j: %s", (file, text, ...found) => {
  expect(scan(file, text, "19.1")).toEqual(found);
});

describe("a removal after 15.0", () => {
  it("is found from the release on that announced it, and is an error once it is made", () => {
    const lint = 'curl -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/ci/lint"';
    const found = ["15.6", "15.7", "15.11", "16.0"].map((release) => scan("a.sh", lint, release));
    expect(found).toEqual([[], ["warning api-ci-lint"], ["warning api-ci-lint"], ["error api-ci-lint"]]);
  });

  it("says who announced it, before it was made", () => {
    const later = schedule.filter(({ announced }) => announced !== undefined);
    expect(later.length).toBeGreaterThan(90);
    const order = (release: string) => release.split(".").reduce((sum, part) => sum * 100 + Number(part), 0);
    expect(later.filter(({ announced = "", release }) => order(announced) >= order(release))).toEqual([]);
  });
});

const folder = join(import.meta.dirname, "../cases/scan");
const innocent = readdirSync(folder).filter((list) => /^innocent.*\.yaml$/.test(list));

it.each(innocent)("finds nothing in %s for 19.1 either", (list) => {
  // Those files use managed licenses, in ways that 15.0 accepts.
  const later = schedule.filter(({ announced, id }) => announced !== undefined && id !== "managed-licenses");
  const known = new Set(later.map(({ id }) => id));
  const cases = Object.values(
    parse(readFileSync(join(folder, list), "utf8")) as Record<string, Record<string, string>>,
  );
  const found = cases.flatMap((files) => Object.entries(files).flatMap(([file, text]) => scan(file, text, "19.1")));
  expect(found.filter((each) => known.has(each.split(" ")[1] ?? ""))).toEqual([]);
});
