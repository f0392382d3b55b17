import { Refusal } from "../base/exit.ts";
import type { ClientOptions } from "../client/client.ts";
import { networkFor } from "../client/network.ts";
import { shownUrl, urlOf } from "../client/server-url.ts";
import { standsStill } from "../diff/last-applied.ts";
import type { Trusts } from "../live/read-live.ts";
import type { Scope } from "../live/survey.ts";
import { problemAt } from "../manifest/problem.ts";
import { hasErrors, type Validated, validate } from "../manifest/validate.ts";
import { addressOf } from "../model/address.ts";
import {
  addressTest,
  cautiousAddressTest,
  projectFinder,
  projectNamed,
  projectPart,
  projectTest,
  renamed,
} from "../model/identity.ts";
import type { Problem, Project } from "../model/types.ts";
import type { GuardRules, Waivers } from "../plan/guards.ts";
import { whyIdle } from "../plan/idle-protection.ts";
import type { PlanInput } from "../plan/plan.ts";
import { type Ledger, openLedger } from "../state/ledger.ts";
import { commitOf } from "../workspace/git.ts";
import { type Loaded, loadWorkspace } from "../workspace/load.ts";
import { createSecrets, type Secrets } from "../workspace/secrets.ts";
import { readToken } from "../workspace/token.ts";
import type { Request } from "./request.ts";

/** A workspace that is ready to be compared with its server. */
export interface Opened {
  readonly loaded: Loaded;
  readonly policies: Validated["policies"];
  /** What validation, the ledger and the journal have to say; errors among them end the run. */
  readonly problems: readonly Problem[];
  readonly secrets: Secrets;
  /** Where the workspace keeps one. */
  readonly ledger: Ledger | undefined;
  /** As plans show it: empty where there is none that requests may go to. */
  readonly url: string;
  readonly concurrency: number;
}

/** The parts of a plan that are known before anything is read. */
export type Heading = Pick<PlanInput, "url" | "manifests">;

/** load -> validate. Throws {@link Refusal} where there is no workspace. */
export function open({ folder, env, concurrency }: Request): Opened {
  const loaded = loadWorkspace(folder);
  const { policies, problems, plaintext } = validate(loaded);
  const { root, workspace } = loaded;
  const secrets = createSecrets({ env, root, plaintext });
  const file = hasErrors(loaded.problems) ? undefined : workspace.ledger;
  const ledger = file ? openLedger({ root, file, env, secrets }) : undefined;
  return {
    loaded,
    policies,
    problems: [...problems, ...(ledger?.problems ?? [])],
    secrets,
    ledger,
    url: shownUrl(env, workspace.server),
    concurrency: concurrency ?? workspace.concurrency,
  };
}

export function headingOf({ loaded, url }: Opened): Heading {
  return { url, manifests: { digest: loaded.digest, commit: commitOf(loaded.root) } };
}

/** Throws {@link Refusal} where no server is named or there is no usable token. */
export function clientOptions(opened: Opened, { env, signal, patience, connecting }: Request): ClientOptions {
  const { secrets, concurrency, loaded } = opened;
  const { server, requestTimeout } = loaded.workspace;
  const url = urlOf(env, server);
  const { allowInsecure } = server;
  const network = networkFor(url, env, loaded.authorities);
  const token = readToken(env);
  connecting?.();
  return { url, token, concurrency, requestTimeout, allowInsecure, network, secrets, signal, ...patience };
}

export function scopeOf({ loaded, policies, ledger, concurrency }: Opened, request: Request): Scope {
  const { server } = loaded.workspace;
  const targets = request.targets ?? [];
  const inShard = request.shard ?? (() => true);
  const inTarget = targets.length > 0 ? anyOf(targets.map(projectTest)) : () => true;
  const resend = anyOf((request.resend ?? []).map(addressTest));
  const target = anyOf(targets.map(addressTest));
  return {
    policies,
    platform: server,
    globs: [...targets, ...(request.resend ?? [])],
    spoken: spokenOf(loaded.workspace.protected, request),
    includes: (project) => inTarget(project) && inShard(project.name),
    ...(ledger && server.reads === "trust-updated-at" && { trusts: trusting(ledger) }),
    diff: (project) => ({
      ...(ledger && { ledger }),
      alwaysSend: !ledger && server.secrets === "always-send",
      ...(request.resend?.length && { resend: (address: string) => resend(address, project) }),
      ...(targets.length > 0 && { target: (address: string) => target(address, project) }),
    }),
    workers: concurrency,
    ...(request.progress && { progress: request.progress }),
  };
}

function trusting(ledger: Ledger): Trusts {
  return (project, desired, updatedAt) => {
    const address = addressOf(project, desired.kind, desired.key);
    return typeof updatedAt === "string" && standsStill(desired, address, updatedAt, ledger);
  };
}

/** A waiver is asked for only where something is protected. */
function spokenOf(globs: readonly string[], { targets = [], resend = [], waivers }: Request): readonly string[] {
  const waived = globs.length > 0 ? (waivers?.protected ?? []) : [];
  return [...globs, ...targets, ...resend, ...waived];
}

/** The guards of a workspace, for changes of these projects. */
export function guardRules({ loaded }: Opened, projects: readonly Project[]): GuardRules {
  const { guards, protected: globs } = loaded.workspace;
  const test = anyOf(globs.map(cautiousAddressTest));
  const find = projectFinder(projects);
  const projectOf = (name: string) => find(name) ?? projectNamed(name);
  return { guards, isProtected: (address) => test(address, projectOf(projectPart(address))) };
}

/** Globs of `protected` that protect nothing, where the run is narrowed by nothing, so that it is certain. */
export function idleProtection(
  { loaded: { workspace, settings } }: Opened,
  projects: readonly Project[],
  { targets = [], shard }: Request,
): Problem[] {
  if (targets.length > 0 || shard || !settings) return [];
  return workspace.protected.flatMap((glob, index) => {
    const why = whyIdle(glob, projects);
    const at = { document: settings, path: ["protected", index] };
    return why === undefined ? [] : [problemAt("idle-protection", `${glob} protects nothing: ${why}`, at)];
  });
}

/** Waivers as objections name what they are about, under whichever name of its project a person gave them. */
export function waiversFor(waivers: Waivers | undefined, projects: readonly Project[]): Waivers | undefined {
  if (!waivers) return undefined;
  const find = projectFinder(projects);
  const named = (address: string) => renamed(address, find(projectPart(address))?.name ?? projectPart(address));
  return { ...waivers, protected: new Set([...waivers.protected].map(named)) };
}

function anyOf<Input extends readonly unknown[]>(tests: readonly ((...input: Input) => boolean)[]) {
  return (...input: Input) => tests.some((test) => test(...input));
}
