import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { stringify } from "yaml";
import { memoized } from "../../src/base/memoize.ts";
import type { Planned } from "../../src/run/request.ts";
import type { ChaosRule } from "../../src/server/chaos.ts";
import { tempFolder } from "../support/folder.ts";
import * as support from "../support/stage.ts";
import type { Fleet, WrittenPolicy } from "./fleet.ts";
import { secretNames, secretValue } from "./values.ts";
import { layWire, type Wire } from "./wire.ts";

type BehaviourName = "spec" | "observed";

export interface Setting {
  readonly behaviour: BehaviourName;
  readonly ledger?: boolean;
  readonly reads?: "verify" | "trust-updated-at";
  readonly protected?: readonly string[];
  /** Also how long the next run waits for what a killed one may have sent. */
  readonly requestTimeout?: string;
  /** Faults of the server; they reach the program only where no wire lies between. */
  readonly chaos?: readonly ChaosRule[];
  /** Decides the order of keys, documents and files. */
  readonly arrangement?: number;
}

export interface Stage extends Pick<support.Stage, "server" | "plan" | "rehearse" | "apply"> {
  readonly folder: string;
  readonly wire: Wire;
  /** What the program finds in its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Puts other manifests in place of those that are there. */
  write(fleet: Fleet, setting: Setting): void;
  /** Every file of the workspace that the program wrote, by its path. */
  written(): ReadonlyMap<string, string>;
  /** A request around the program and the wire. */
  ask(method: string, path: string, fields?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

export const { token } = support;

const env = { EVENKEEL_TOKEN: token, ...Object.fromEntries(secretNames.map((name) => [name, secretValue(name)])) };

/** A provider that knows every secret, too. */
export const providerName = "keeper";

/** The file of that provider, in a folder of its own. */
const providersFile = memoized((_: typeof providerName): string => {
  const folder = tempFolder();
  for (const name of secretNames) writeFileSync(join(folder, name), secretValue(name));
  const file = join(folder, "providers.yaml");
  writeFileSync(file, stringify({ [providerName]: { command: ["cat", `${folder}/{ref}`] } }));
  return file;
});

/** For a run whose wire is cut: it ends soon. Otherwise a busy machine may leave a server silent for longer. */
export const impatience = { lookUpFor: 20, giveUpAfter: 300 } as const;

/** Sets a stage, lets `work` run on it, and clears it away. */
export async function onStage<Result>(
  fleet: Fleet,
  setting: Setting,
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const { behaviour, chaos = [] } = setting;
  const { release, tier = "ultimate", environment = "production", dialect = "neutral" } = fleet.platform;
  const platform = { behaviour, release, tier, environment, dialect };
  const { root, server, ...made } = await support.stage({
    ...platform,
    seed: fleet.seed,
    kinds: fleet.kinds ?? [],
    chaos,
    keepRequests: 0,
  });
  const wire = await layWire(server.url);
  const request = {
    env: {
      ...env,
      PATH: process.env.PATH ?? "",
      EVENKEEL_SECRET_PROVIDERS: providersFile(providerName),
      EVENKEEL_URL: chaos.length > 0 ? server.url : wire.url,
    },
    waivers: { deletes: 1000, protected: new Set<string>() },
    patience: { ...impatience, giveUpAfter: 20_000 },
  };
  const stage: Stage = {
    folder: root,
    server,
    wire,
    env: request.env,
    plan: (more) => made.plan({ ...request, ...more }),
    rehearse: (more) => made.rehearse({ ...request, ...more }),
    apply: (more, hooks) => made.apply({ ...request, ...more }, hooks),
    write: (next, how) => writeWorkspace(root, next, how),
    written: () => filesIn(join(root, ".evenkeel")),
    ask: (method, path, fields) => ask(server.url, method, path, fields),
  };
  try {
    stage.write(fleet, setting);
    return await work(stage);
  } finally {
    await wire.close();
    await server.close();
  }
}

function writeWorkspace(folder: string, { platform, policies, kinds = [] }: Fleet, setting: Setting): void {
  const { ledger, reads, arrangement = 0, requestTimeout } = setting;
  rmSync(join(folder, "policies"), { recursive: true, force: true });
  const { tier, environment, release, dialect } = platform;
  save(folder, "evenkeel.yaml", {
    ...head("Workspace"),
    server: { release, tier, environment, ...(dialect && { dialect }), ...(reads && { reads }) },
    protected: setting.protected ?? [],
    ...(requestTimeout && { requestTimeout }),
    ...(ledger && { ledger: ".evenkeel/ledger.ndjson" }),
  });
  const shuffle = shuffler(arrangement);
  const written = [...kinds, ...policies.map(documentOf)];
  const documents = shuffle(written).map((document) => stringify(shuffled(document, shuffle)));
  const files = arrangement % 2 === 0 ? documents : [documents.join("---\n")];
  files.forEach((text, index) => {
    const file = join(folder, "policies", `${arrangement % 3 === 0 ? "a" : `deep/${arrangement}`}-${index}.yaml`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  });
}

function head(kind: string) {
  return { apiVersion: "evenkeel/v1", kind };
}

function documentOf({ disabled, exclusive, ...policy }: WrittenPolicy): Record<string, unknown> {
  return { ...head("Policy"), ...policy, disabled, exclusive };
}

function save(folder: string, file: string, value: unknown): void {
  writeFileSync(join(folder, file), stringify(value));
}

/** Shuffles by a fixed sequence; 0 leaves everything in its order. */
function shuffler(seed: number): <T>(list: readonly T[]) => T[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
  if (seed === 0) return (list) => [...list];
  return (list) =>
    list
      .map((one) => [next(), one] as const)
      .sort(([a], [b]) => a - b)
      .map(([, one]) => one);
}

/** Keys in any order; lists keep theirs, but for those that are sets. */
function shuffled(value: unknown, shuffle: <T>(list: readonly T[]) => T[], key = ""): unknown {
  if (Array.isArray(value))
    return ["projects", "groups", "disabled", "exclusive"].includes(key) ? shuffle(value) : value;
  if (typeof value !== "object" || value === null) return value;
  const entries = shuffle(Object.entries(value));
  return Object.fromEntries(entries.map(([name, inner]) => [name, shuffled(inner, shuffle, name)]));
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return new Map(entries.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), "utf8")]));
  } catch {
    return new Map();
  }
}

/** Asked again where a fault hit the answer: what is asked here is only what the server holds. */
async function ask(url: string, method: string, path: string, fields?: Readonly<Record<string, unknown>>) {
  const body = fields && { body: JSON.stringify(fields) };
  const headers = { "private-token": token, ...(fields && { "content-type": "application/json" }) };
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(`${url}/api/v4${path}`, { method, ...body, headers });
      if (response.status >= 409) throw new Error(`${method} ${path} answered ${response.status}`);
      const text = await response.text();
      return text === "" ? undefined : (JSON.parse(text) as unknown);
    } catch (error) {
      if (attempt > 20) throw error;
    }
  }
}

/** Checks a law over generated input; EVENKEEL_LAW_RUNS multiplies how often. */
export function law<Inputs extends [unknown, ...unknown[]]>(
  runs: number,
  inputs: { [Key in keyof Inputs]: fc.Arbitrary<Inputs[Key]> },
  check: (...input: Inputs) => Promise<void>,
): Promise<void> {
  const scale = Number(process.env.EVENKEEL_LAW_RUNS ?? 1);
  const property = fc.asyncProperty(...inputs, check as never) as fc.IAsyncProperty<Inputs>;
  return fc.assert(property, { numRuns: runs * scale, endOnFailure: true, interruptAfterTimeLimit: 300_000 });
}

/** Pauses between attempts are random up to a limit; here they are always nothing. */
export function withoutPauses(): void {
  beforeAll(() => void vi.spyOn(Math, "random").mockReturnValue(0));
  afterAll(() => void vi.restoreAllMocks());
}

/** A plan in a few lines, for a failed check. */
export function changesOf({ plan: { resource_changes, problems } }: Planned): unknown {
  const changes = resource_changes.map(({ address, change, action_reason }) => ({ address, ...change, action_reason }));
  return { changes, problems };
}

export const inSync = { changes: [], problems: [] };

/** An apply carries everything out; then a plan is empty, and a second apply writes nothing. */
export async function checkConvergence(stage: Stage): Promise<void> {
  const applied = await stage.apply();
  const outcomes = [...(applied.outcomes ?? new Map())].filter(([, { status }]) => status !== "applied");
  expect({ outcomes, problems: applied.plan.problems }).toEqual({ outcomes: [], problems: [] });
  expect(changesOf(await stage.plan())).toEqual(inSync);
  stage.wire.reset();
  await stage.apply();
  expect(stage.wire.writes).toEqual([]);
}
