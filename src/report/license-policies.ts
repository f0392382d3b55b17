import { grouped } from "../base/grouped.ts";
import { compareTexts, counted } from "../base/text-format.ts";
import { compareReleases } from "../model/releases.ts";
import type { Project } from "../model/types.ts";
import { matchedNames } from "./spdx-names.ts";

/** A project and the status that policies give each license. */
export interface ProjectLicenses {
  readonly project: Project;
  readonly licenses: ReadonlyMap<string, string>;
}

/** Who has to approve, in the words of the file: `role_approvers: [maintainer]`. */
export type Approvers = Readonly<Record<string, readonly (string | number)[]>>;

export interface LicensePolicyChoice {
  /** Of the server that reads the file. */
  readonly release: string;
  readonly approvers: Approvers;
  readonly approvals: number;
  /** Whether unlisted licenses need approval if some are allowed. */
  readonly allowList: boolean;
}

/** One entry of the file, and sentences on what it does not say. */
export interface LicensePolicy {
  readonly policy: Readonly<Record<string, unknown>>;
  /** Full paths, or IDs where nothing else is known. */
  readonly projects: readonly string[];
  readonly remarks: readonly string[];
}

/** The license rules of a security-policy project. */
export interface LicensePolicyFile {
  /** The key of the file that lists the policies. */
  readonly section: string;
  readonly policies: readonly LicensePolicy[];
  /** Of the file as a whole, a sentence each. */
  readonly remarks: readonly string[];
}

interface Form {
  readonly since: string;
  readonly section: string;
  /** The key that says whether the listed licenses need approval, or all others. */
  readonly match: string;
}

/** How releases spell these policies, the newest first (GitLab documentation: Merge request approval policies). */
const forms: readonly [Form, Form] = [
  { since: "17.0", section: "approval_policy", match: "match_on_inclusion_license" },
  { since: "15.9", section: "scan_result_policy", match: "match_on_inclusion" },
];

/** The first release that reads today's form. */
export const newestForm = forms[0].since;

/** The release that brought `policy_scope`, and the one that no longer needs a feature flag for license policies. */
const scopes = "16.7";
const unflagged = "15.11";

/** What one file, one policy and one rule hold at most. */
const most = { policies: 5, rules: 5, licenses: 1000, name: 255 } as const;

/** Policies for projects with desired licenses, those with the same ones together, in the order of the projects. */
export function licensePolicyFile(
  projects: readonly ProjectLicenses[],
  choice: LicensePolicyChoice,
): LicensePolicyFile {
  const form = forms.find(({ since }) => compareReleases(choice.release, since) >= 0) ?? forms[1];
  const alike = [...grouped(projects, ({ licenses }) => keyOf(licenses)).values()];
  const policies = alike.map((members) => policyOf(members, form, choice));
  return { section: form.section, policies, remarks: fileRemarks(policies.length, choice) };
}

function keyOf(licenses: ProjectLicenses["licenses"]): string {
  const pairs = [...licenses].map(([name, status]) => [name.toLowerCase(), status] as const);
  return JSON.stringify(pairs.sort(([a], [b]) => compareTexts(a, b)));
}

function policyOf(members: readonly ProjectLicenses[], form: Form, choice: LicensePolicyChoice): LicensePolicy {
  const projects = members.map(({ project }) => project);
  const licenses = [...(members[0]?.licenses ?? [])].sort(([a], [b]) => compareTexts(a, b));
  const named = (wanted: string) => licenses.flatMap(([name, status]) => (status === wanted ? [name] : []));
  const [no, yes] = [matchedNames(named("denied"), most.name), matchedNames(named("allowed"), most.name)];
  const denied = deniedRules(no.names, form);
  const allowed = allowedRule(yes.names, form, choice);
  const scope = scopeOf(projects, choice);
  const rules = [...denied.rules, ...allowed.rules].slice(0, most.rules);
  const policy = {
    name: nameOf(projects),
    description: "Written by evenkeel export license-policy",
    enabled: true,
    ...(scope.including && { policy_scope: { projects: { including: scope.including } } }),
    rules,
    actions: [{ type: "require_approval", approvals_required: choice.approvals, ...choice.approvers }],
  };
  const fromPolicies = [...no.remarks, ...yes.remarks, ...denied.remarks, ...allowed.remarks];
  const remarks = [...fromPolicies, ...(rules.length === 0 ? [ruleless] : []), ...scope.remarks];
  return { policy, projects: projects.map(({ name }) => name), remarks };
}

const ruleless = "no rule is left, and a policy needs one: remove it or add one";

interface Rules {
  readonly rules: readonly Readonly<Record<string, unknown>>[];
  readonly remarks: readonly string[];
}

/** Splits more licenses than a rule can hold into several rules; those beyond the limit of a policy are reported. */
function deniedRules(names: readonly string[], form: Form): Rules {
  const room = most.licenses * (most.rules - 1);
  const kept = names.slice(0, room);
  const chunks = Array.from({ length: Math.ceil(kept.length / most.licenses) }, (_, index) =>
    kept.slice(index * most.licenses, (index + 1) * most.licenses),
  );
  const left = names.length - kept.length;
  return {
    rules: chunks.map((chunk) => ruleOf(true, chunk, form)),
    remarks: left > 0 ? [`${counted(left, "denied license")} left out: a policy holds ${room}`] : [],
  };
}

function allowedRule(names: readonly string[], form: Form, { allowList }: LicensePolicyChoice): Rules {
  if (names.length === 0) return { rules: [], remarks: [] };
  if (!allowList)
    return {
      rules: [],
      remarks: [`the ${counted(names.length, "allowed license")} need no rule without an allow list`],
    };
  if (names.length > most.licenses)
    return { rules: [], remarks: [`no allow list: a rule holds ${most.licenses} licenses, there are ${names.length}`] };
  return {
    rules: [ruleOf(false, names, form)],
    remarks: ["licenses that are not listed need approval too, which managed licenses did not ask for"],
  };
}

function ruleOf(isDenied: boolean, names: readonly string[], { match }: Form) {
  return {
    type: "license_finding",
    branches: [],
    [match]: isDenied,
    license_types: names,
    license_states: ["newly_detected", "detected"],
  };
}

interface Scope {
  /** Undefined: every project that is linked to the security-policy project. */
  readonly including?: readonly { readonly id: number }[];
  readonly remarks: readonly string[];
}

function scopeOf(projects: readonly Project[], { release }: LicensePolicyChoice): Scope {
  const known = projects.flatMap(({ id }) => (id === undefined ? [] : [{ id }]));
  const unknown = projects.flatMap(({ id, name }) => (id === undefined ? [name] : []));
  const everywhere = "so the policy applies to every project that is linked to this security-policy project";
  if (compareReleases(release, scopes) < 0)
    return { remarks: [`release ${release} has no policy_scope (${scopes} has), ${everywhere}`] };
  if (known.length === 0) return { remarks: [`the IDs of its projects are not known here, ${everywhere}`] };
  if (unknown.length === 0) return { including: known, remarks: [] };
  return { including: known, remarks: [`the ID is not known here, add it to the scope: ${unknown.join(", ")}`] };
}

function nameOf([first, ...others]: readonly Project[]): string {
  const name = `Licenses of ${first?.name}`;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return `${[...name].slice(0, most.name - more.length).join("")}${more}`;
}

function fileRemarks(count: number, { release }: LicensePolicyChoice): readonly string[] {
  const oldest = forms[1].since;
  const old = compareReleases(release, oldest) < 0;
  const flagged = !old && compareReleases(release, unflagged) < 0;
  return [
    ...(old ? [`release ${release} has no license approval policies: they came with ${oldest}`] : []),
    ...(flagged ? [`release ${release} needs the feature flag license_scanning_policies; ${unflagged} does not`] : []),
    ...(count > most.policies
      ? [`${count} policies: a security-policy project may hold no more than ${most.policies}`]
      : []),
  ];
}
