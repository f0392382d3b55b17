/** The least role that something needs: in a project, or of the whole server. */
export type NeededRole = "reporter" | "developer" | "maintainer" | "administrator";

/** Roles in a project by the number that the API has for them, the highest first. */
export const accessLevels = [
  [50, "Owner"],
  [40, "Maintainer"],
  [30, "Developer"],
  [20, "Reporter"],
  [10, "Guest"],
] as const;

/** How a needed role is called, and the least access level in a project that includes it; an administrator has all of them. */
export const neededRoles: Readonly<Record<NeededRole, { readonly words: string; readonly level: number }>> = {
  reporter: { words: "Reporter", level: 20 },
  developer: { words: "Developer", level: 30 },
  maintainer: { words: "Maintainer or Owner", level: 40 },
  administrator: { words: "administrator", level: Number.POSITIVE_INFINITY },
};

/** What commands need of the token: a row of the table in README, which a test holds against this one. */
export interface CommandAccess {
  readonly commands: readonly string[];
  /** Left out: any. */
  readonly role?: NeededRole;
  /** Of which project, in words. */
  readonly of?: string;
  readonly scope: "read_api" | "api";
}

/** Commands that need a token, as README lists them. */
export const commandAccess: readonly CommandAccess[] = [
  {
    commands: ["plan", "drift", "watch", "apply --dry-run", "import", "accept", "routes --live", "routes --diff"],
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
    ...{ role: "developer", of: "the project of the policies", scope: "api" },
  },
  { commands: ["deployments delete"], role: "maintainer", of: "the project", scope: "api" },
  { commands: ["plan --storage", "storage status"], role: "administrator", scope: "read_api" },
  { commands: ["apply --storage"], role: "administrator", scope: "api" },
  { commands: ["show", "blame", "routes", "whoami"], scope: "read_api" },
];

/** The row of `plan`: a token that lacks it can do next to nothing. */
export const planAccess = commandAccess[0];
