import { Ajv } from "ajv";
import schema from "../../schemas/plan.schema.json" with { type: "json" };
import type { Plan, PlannedChange } from "../../src/plan/plan.ts";
import type { SeedProject } from "../../src/server/seed.ts";
import type { Server, ServerOptions } from "../../src/server/server.ts";
import { type Answered, type Asking, serving } from "../server/serving.ts";
import { type Folder, folder } from "../support/folder.ts";
import { type Ended, type Environment, type Running, runProgram, start } from "./program.ts";

export const token = "token-CANARY-of-the-workspace";

/** Text of an `evenkeel.yaml`; `more` stands beside `server`. */
export function workspaceText(server: Readonly<Record<string, unknown>>, more: object = {}): string {
  return `apiVersion: evenkeel/v1\nkind: Workspace\n${yaml({ server, ...more })}`;
}

/** JSON is YAML; a line a key, so that places can be told apart. */
function yaml(value: object): string {
  return Object.entries(value)
    .map(([key, each]) => `${key}: ${JSON.stringify(each)}\n`)
    .join("");
}

/** Text of a policy named `name` that says `body`. */
export function policyText(body: object, name = "all"): string {
  return `apiVersion: evenkeel/v1\nkind: Policy\nname: ${name}\n${yaml(body)}`;
}

/** A run of the program, and what the server was asked by it. */
export interface Ran extends Ended {
  readonly reads: number;
  readonly writes: number;
  /** `GET /projects/p/integrations?per_page=100`, paths below /api/v4 and decoded. */
  readonly requests: readonly string[];
  /** Stdout as a plan document, which keeps to its schema. */
  readonly plan: () => Plan;
}

export interface Setting extends Omit<ServerOptions, "seed" | "token"> {
  readonly projects?: readonly SeedProject[];
  /** What the one policy says; several by name. */
  readonly policy?: object;
  readonly policies?: Readonly<Record<string, object>>;
  /** Keys of evenkeel.yaml beside `server`, and of `server` beside its URL. */
  readonly workspace?: object;
  readonly site?: object;
  readonly secrets?: Environment;
}

/** A workspace, the embedded server that it speaks of, and the program to run in it. */
export interface Scene extends Folder {
  readonly server: Server;
  readonly ask: (method: string, path: string, asking?: Asking) => Promise<Answered>;
  readonly evenkeel: (...args: string[]) => Promise<Ran>;
  readonly evenkeelWith: (env: Environment, ...args: string[]) => Promise<Ran>;
  readonly begin: (...args: string[]) => Running;
  readonly policy: (body: object, name?: string) => void;
}

export async function scene(setting: Setting = {}): Promise<Scene> {
  const { projects = [], policy, policies = {}, workspace, site, secrets, ...options } = setting;
  const { server, ask } = await serving({ keepRequests: 10_000, ...options, token, seed: { projects } });
  const asToken = (method: string, path: string, asking?: Asking) => ask(method, path, { token, ...asking });
  const files = folder({ "evenkeel.yaml": workspaceText({ url: server.url, ...site }, workspace) });
  const write = (body: object, name = "all") => files.write(`${name}.yaml`, policyText(body, name));
  for (const [name, body] of Object.entries(policies)) write(body, name);
  if (policy) write(policy);
  const env = { EVENKEEL_TOKEN: token, ...secrets };
  const evenkeelWith = async (more: Environment, ...args: string[]): Promise<Ran> => {
    server.requests.reset();
    const ended = await runProgram(args, files.root, { ...env, ...more });
    return { ...ended, ...asked(server), plan: () => planIn(ended.stdout) };
  };
  return {
    ...files,
    server,
    ask: asToken,
    evenkeelWith,
    evenkeel: (...args) => evenkeelWith({}, ...args),
    begin: (...args) => start(args, files.root, env),
    policy: write,
  };
}

const isPlan = new Ajv({ allowUnionTypes: true }).compile<Plan>(schema);

function planIn(text: string): Plan {
  const document: unknown = JSON.parse(text);
  if (isPlan(document)) return document;
  throw new Error(`not a plan by its schema: ${JSON.stringify(isPlan.errors)}`);
}

function asked({ requests }: Server): Pick<Ran, "reads" | "writes" | "requests"> {
  const lines = requests.kept.map(({ method, path, query }) => {
    const below = decodeURIComponent(path.replace("/api/v4", ""));
    return `${method} ${below}${query ? `?${query}` : ""}`;
  });
  return { reads: requests.count("GET"), writes: requests.writes, requests: lines };
}

/** `update p:license/MIT` for each change, in the plan's order. */
export function told({ resource_changes }: Plan): string[] {
  return resource_changes.map(({ address, change }) => `${change.actions[0]} ${address}`);
}

/** `applied p:license/MIT` for each change. */
export function outcomes({ resource_changes }: Plan): string[] {
  return resource_changes.map(({ address, outcome }) => `${outcome?.status} ${address}`);
}

export function changeOf({ resource_changes }: Plan, address: string): PlannedChange {
  const found = resource_changes.find((change) => change.address === address);
  if (!found) throw new Error(`no change of ${address} among ${resource_changes.map((change) => change.address)}`);
  return found;
}
