export type NeededRole = "reporter" | "developer" | "maintainer" | "owner" | "administrator";

export const accessLevels = [
  [50, "Owner"],
  [40, "Maintainer"],
  [30, "Developer"],
  [25, "Security Manager"],
  [20, "Reporter"],
  [15, "Planner"],
  [10, "Guest"],
] as const;

/** The name of a required role, and the minimum access level in a project. Administrators have all of them. */
export const neededRoles: Readonly<Record<NeededRole, { readonly words: string; readonly level: number }>> = {
  reporter: { words: "Reporter", level: 20 },
  developer: { words: "Developer", level: 30 },
  maintainer: { words: "Maintainer or Owner", level: 40 },
  owner: { words: "Owner", level: 50 },
  administrator: { words: "administrator", level: Number.POSITIVE_INFINITY },
};

export interface CommandAccess {
  readonly commands: readonly string[];
  readonly role?: NeededRole;
  readonly of?: string;
  readonly scope: "read_api" | "api";
}

/** Commands that need a token, in the order of README. */
export const commandAccess: readonly CommandAccess[] = [
  {
    commands: ["plan", "drift", "unmanaged", "mcp", "watch", "apply --dry-run", "import", "accept", "routes --live"],
    ...{ role: "maintainer", of: "each project", scope: "read_api" },
  },
  { commands: ["apply", "watch --apply"], role: "maintainer", of: "each project", scope: "api" },
  {
    commands: ["deployments list", "deployments show", "deployments merge-requests"],
    role: "reporter",
    of: "the project",
    scope: "read_api",
  },
  {
    commands: ["deployments create", "deployments update", "apply --record-deployment"],
    ...{ role: "developer", of: "the project that records the deployment", scope: "api" },
  },
  {
    commands: ["accept --merge-request", "watch --merge-request"],
    ...{ role: "developer", of: "the project with the manifests", scope: "api" },
  },
  { commands: ["plan --storage", "storage status"], role: "administrator", scope: "read_api" },
  { commands: ["apply --storage"], role: "administrator", scope: "api" },
  { commands: ["show", "blame", "routes", "whoami"], scope: "read_api" },
];

export const planAccess = commandAccess[0];
