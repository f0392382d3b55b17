import { Ajv } from "ajv";
import schema from "../../schemas/plan.schema.json" with { type: "json" };
import type { ApplyHooks } from "../../src/index.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { apply, rehearse } from "../../src/run/apply.ts";
import { plan } from "../../src/run/plan.ts";
import type { Applied, Planned, Rehearsed, Request } from "../../src/run/request.ts";
import type { Seed, SeedProject } from "../../src/server/seed.ts";
import type { Server, ServerOptions } from "../../src/server/server.ts";
import { type Environment, runProgram, start } from "../e2e/program.ts";
import { type Answered, type Asking, serving } from "../server/serving.ts";
import { type Folder, folder } from "./folder.ts";
import type { Ended, Running } from "./processes.ts";

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

export function policyText(body: object, name = "all"): string {
  return `apiVersion: evenkeel/v1\nkind: Policy\nname: ${name}\n${yaml(body)}`;
}

function migrationText(migration: object): string {
  return `---\n${JSON.stringify({ apiVersion: "evenkeel/v1", kind: "StorageMigration", ...migration })}\n`;
}

/** A run of the program, and what the server was asked by it. */
interface Ran extends Ended {
  readonly reads: number;
  readonly writes: number;
  /** `GET /projects/p/integrations?per_page=100`, paths below /api/v4 and decoded. */
  readonly requests: readonly string[];
  /** Stdout as a plan document, which keeps to its schema. */
  readonly plan: () => Plan;
}

export interface Setting extends Omit<ServerOptions, "token"> {
  /** What the server has: `seed`, or nothing but these projects. */
  readonly seed?: Seed;
  readonly projects?: readonly SeedProject[];
  /** What the one policy says; several by name. */
  readonly policy?: object;
  readonly policies?: Readonly<Record<string, object>>;
  readonly migrations?: readonly object[];
  /** Keys of evenkeel.yaml beside `server`, and of `server` beside its URL. */
  readonly workspace?: object;
  readonly site?: object;
  readonly secrets?: Environment;
  /** The token that the program uses, if not the administrator's. */
  readonly as?: string;
  /** What each run in this process asks for, beside its folder and environment. */
  readonly request?: Partial<Request>;
}

/** A workspace, the embedded server that it speaks of, and plan and apply: as the program, and in this process. */
export interface Stage extends Folder {
  readonly server: Server;
  readonly environment: Environment;
  readonly ask: (method: string, path: string, asking?: Asking) => Promise<Answered>;
  readonly policy: (body: object, name?: string) => void;
  readonly evenkeel: (...args: string[]) => Promise<Ran>;
  readonly evenkeelWith: (env: Environment, ...args: string[]) => Promise<Ran>;
  readonly begin: (...args: string[]) => Running;
  readonly plan: (more?: Partial<Request>) => Promise<Planned>;
  readonly rehearse: (more?: Partial<Request>) => Promise<Rehearsed>;
  readonly apply: (more?: Partial<Request>, hooks?: Partial<ApplyHooks>) => Promise<Applied>;
  /** What the server was asked since the last time this was asked, paths below /api/v4 and decoded. */
  readonly asked: () => readonly string[];
}

/** Sets a stage for one test; its server is closed when the test ends. */
export async function stage(setting: Setting = {}): Promise<Stage> {
  const {
    projects = [],
    policy,
    policies = {},
    migrations = [],
    workspace,
    site,
    secrets,
    as,
    request,
    ...options
  } = setting;
  const { server, ask } = await serving({ seed: { projects }, keepRequests: 10_000, ...options, token });
  const files = folder({ "evenkeel.yaml": workspaceText({ url: server.url, ...site }, workspace) });
  if (migrations.length > 0) files.write("storage.yaml", migrations.map(migrationText).join(""));
  const write = (body: object, name = "all") => files.write(`${name}.yaml`, policyText(body, name));
  for (const [name, body] of Object.entries(policies)) write(body, name);
  if (policy) write(policy);
  const env = { EVENKEEL_TOKEN: as ?? token, ...secrets };
  const asks: Request = { ...request, folder: files.root, env };
  const evenkeelWith = async (more: Environment, ...args: string[]): Promise<Ran> => {
    server.requests.reset();
    const ended = await runProgram(args, files.root, { ...env, ...more });
    return { ...ended, ...requestsOf(server), plan: () => planIn(ended.stdout) };
  };
  return {
    ...files,
    server,
    environment: env,
    ask: (method, path, asking) => ask(method, path, { token, ...asking }),
    policy: write,
    evenkeelWith,
    evenkeel: (...args) => evenkeelWith({}, ...args),
    begin: (...args) => start(args, files.root, env),
    plan: (more) => plan({ ...asks, ...more }),
    rehearse: (more) => rehearse({ ...asks, ...more }),
    apply: (more, hooks) => apply({ ...asks, ...more }, { approve: async () => true, watchers: [], ...hooks }),
    asked: () => {
      const counted = server.requests.kept.filter(({ path }) => !ownPaths.includes(path));
      const lines = counted.map(({ method, path }) => `${method} ${decodeURIComponent(path.slice(7))}`);
      server.requests.reset();
      return lines;
    },
  };
}

const isPlan = new Ajv({ allowUnionTypes: true }).compile<Plan>(schema);

function planIn(text: string): Plan {
  const document: unknown = JSON.parse(text);
  if (isPlan(document)) return document;
  throw new Error(`not a plan by its schema: ${JSON.stringify(isPlan.errors)}`);
}

/** The server's own version, the token's expiry and the authors of drift are no reads of anything (docs/running.md). */
const ownPaths = ["/api/v4/version", "/api/v4/personal_access_tokens/self"];

function requestsOf({ requests }: Server): Pick<Ran, "reads" | "writes" | "requests"> {
  const counted = requests.kept.filter(({ path }) => !ownPaths.includes(path) && !path.endsWith("/audit_events"));
  const lines = counted.map(({ method, path, query }) => {
    const below = decodeURIComponent(path.replace("/api/v4", ""));
    return `${method} ${below}${query ? `?${query}` : ""}`;
  });
  const reads = counted.filter(({ method }) => method === "GET").length;
  return { reads, writes: requests.writes, requests: lines };
}
