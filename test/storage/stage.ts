import type { ApplyHooks } from "../../src/index.ts";
import { apply, plan, rehearse } from "../../src/reconcile/reconcile.ts";
import type { Applied, Planned, Rehearsed, Request } from "../../src/reconcile/request.ts";
import type { Seed } from "../../src/server/seed.ts";
import type { ServerOptions } from "../../src/server/server.ts";
import { token, workspaceText } from "../e2e/workspace.ts";
import { type Serving, serving } from "../server/serving.ts";
import { type Folder, folder } from "../support/folder.ts";

export interface Setting extends Omit<ServerOptions, "token"> {
  readonly migrations?: readonly object[];
  readonly site?: object;
  /** The token that the program uses, if not the administrator's. */
  readonly as?: string;
}

export interface Stage extends Serving {
  readonly files: Folder;
  readonly plan: (more?: Partial<Request>) => Promise<Planned>;
  readonly rehearse: (more?: Partial<Request>) => Promise<Rehearsed>;
  readonly apply: (more?: Partial<Request>, hooks?: Partial<ApplyHooks>) => Promise<Applied>;
  /** POSTs of moves so far, by path. */
  readonly scheduled: () => string[];
  readonly environment: Readonly<Record<string, string>>;
}

export const drain = { name: "drain", from: "old", to: "new", repositories: ["projects"] };

export const seed: Seed = {
  projects: [
    { id: 1, path: "a/one", repository_storage: "old" },
    { id: 2, path: "a/two", repository_storage: "old" },
    { id: 3, path: "a/three", repository_storage: "new" },
  ],
  snippets: [{ id: 7, repository_storage: "old" }],
  groups: [{ id: 8, path: "a", repository_storage: "old" }],
  storages: ["old", "new"],
};

/** A workspace of storage migrations and a server on which moves take an instant. */
export async function stage(setting: Setting = {}): Promise<Stage> {
  const { migrations = [drain], site, as, ...options } = setting;
  const served = await serving({ seed, moveDuration: 30, keepRequests: 10_000, ...options, token });
  const files = folder({ "evenkeel.yaml": workspaceText({ url: served.server.url, ...site }) });
  const documents = migrations.map((one) =>
    JSON.stringify({ apiVersion: "evenkeel/v1", kind: "StorageMigration", ...one }),
  );
  files.write("storage.yaml", documents.map((text) => `---\n${text}\n`).join(""));
  const environment = { EVENKEEL_TOKEN: as ?? token };
  const request = { folder: files.root, env: environment, storage: true, pollInterval: 2 };
  const agreed = { approve: async () => true, watchers: [] };
  return {
    server: served.server,
    ask: (method, path, asking) => served.ask(method, path, { token, ...asking }),
    files,
    environment,
    plan: (more) => plan({ ...request, ...more }),
    rehearse: (more) => rehearse({ ...request, ...more }),
    apply: (more, hooks) => apply({ ...request, ...more }, { ...agreed, ...hooks }),
    scheduled: () =>
      served.server.requests.kept
        .filter(({ method }) => method === "POST")
        .map(({ path }) => path.replace("/api/v4", "")),
  };
}

export const projectMoves = "/project_repository_storage_moves";
export const snippetMoves = "/snippet_repository_storage_moves";
export const groupMoves = "/group_repository_storage_moves";
