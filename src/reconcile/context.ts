import { Refusal } from "../base/exit.ts";
import type { ClientOptions } from "../client/client.ts";
import { standsStill } from "../diff/last-applied.ts";
import type { Trusts } from "../live/read-live.ts";
import type { Scope } from "../live/survey.ts";
import { type Validated, validate } from "../manifest/validate.ts";
import { addressMatcher, addressOf, projectMatcher } from "../model/address.ts";
import type { Problem } from "../model/types.ts";
import type { GuardRules } from "../plan/guards.ts";
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
  const ledger = workspace.ledger ? openLedger({ root, file: workspace.ledger, env, secrets }) : undefined;
  return {
    loaded,
    policies,
    problems: [...problems, ...(ledger?.problems ?? [])],
    secrets,
    ledger,
    url: env.EVENKEEL_URL || workspace.server.url || "",
    concurrency: concurrency ?? workspace.concurrency,
  };
}

export function headingOf({ loaded, url }: Opened): Heading {
  return { url, manifests: { digest: loaded.digest, commit: commitOf(loaded.root) } };
}

/** Throws {@link Refusal} where no server is named or there is no usable token. */
export function clientOptions(opened: Opened, { env, signal }: Request): ClientOptions {
  const { url, secrets, concurrency, loaded } = opened;
  const { server, requestTimeout } = loaded.workspace;
  if (!url) throw new Refusal("no server: set server.url in evenkeel.yaml, or EVENKEEL_URL");
  const { allowInsecure } = server;
  return { url, token: readToken(env), concurrency, requestTimeout, allowInsecure, secrets, signal };
}

export function scopeOf({ loaded, policies, ledger, concurrency }: Opened, request: Request): Scope {
  const { server } = loaded.workspace;
  const targets = request.targets ?? [];
  const inShard = request.shard ?? (() => true);
  const inTarget = targets.length > 0 ? anyOf(targets.map(projectMatcher)) : () => true;
  return {
    policies,
    platform: server,
    globs: [...targets, ...(request.resend ?? [])],
    includes: (project) => inTarget(project) && inShard(project),
    ...(ledger && server.reads === "trust-updated-at" && { trusts: trusting(ledger) }),
    diff: {
      ...(ledger && { ledger }),
      alwaysSend: !ledger && server.secrets === "always-send",
      ...(request.resend?.length && { resend: anyOf(request.resend.map(addressMatcher)) }),
      ...(targets.length > 0 && { target: anyOf(targets.map(addressMatcher)) }),
    },
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

export function guardRules({ loaded }: Opened): GuardRules {
  const { guards, protected: globs } = loaded.workspace;
  return { guards, isProtected: anyOf(globs.map(addressMatcher)) };
}

type Test = (text: string) => boolean;

function anyOf(tests: readonly Test[]): Test {
  return (text) => tests.some((test) => test(text));
}
