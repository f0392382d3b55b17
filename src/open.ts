import { addressMatcher, projectMatcher } from "./address.ts";
import type { ClientOptions } from "./client/client.ts";
import { createSecrets, type Secrets } from "./client/secrets.ts";
import { readToken } from "./client/token.ts";
import { commitOf } from "./commit.ts";
import { Refusal } from "./exit.ts";
import type { GuardRules } from "./guard.ts";
import { type Loaded, loadWorkspace } from "./load.ts";
import { hasErrors, type Validated, validate } from "./manifest/validate.ts";
import type { PlanInput } from "./plan.ts";
import type { Request } from "./request.ts";
import type { Scope } from "./survey.ts";

/** A workspace that is ready to be compared with its server. */
export interface Opened {
  readonly loaded: Loaded;
  readonly validated: Validated;
  readonly secrets: Secrets;
  readonly url: string;
}

/** The parts of a plan that are known before anything is read. */
export type Heading = Pick<PlanInput, "url" | "manifests">;

/** load -> validate. Throws {@link Refusal} where there is no workspace. */
export function open({ folder, env }: Request): Opened {
  const loaded = loadWorkspace(folder);
  const validated = validate(loaded);
  const secrets = createSecrets({ env, root: loaded.root, plaintext: validated.plaintext });
  return { loaded, validated, secrets, url: env.EVENKEEL_URL || loaded.workspace.server.url || "" };
}

/** Whether anything may be sent at all. */
export function isSound({ validated }: Opened): boolean {
  return !hasErrors(validated.problems);
}

export function headingOf({ loaded, url }: Opened): Heading {
  return { url, manifests: { digest: loaded.digest, commit: commitOf(loaded.root) } };
}

/** Throws {@link Refusal} where no server is named or there is no usable token. */
export function clientOptions({ loaded, secrets, url }: Opened, request: Request): ClientOptions {
  const { server, concurrency, requestTimeout } = loaded.workspace;
  if (!url) throw new Refusal("no server: set server.url in evenkeel.yaml, or EVENKEEL_URL");
  return {
    url,
    token: readToken(request.env),
    concurrency: request.concurrency ?? concurrency,
    requestTimeout,
    allowInsecure: server.allowInsecure,
    secrets,
    ...(request.signal && { signal: request.signal }),
  };
}

export function scopeOf({ loaded, validated }: Opened, request: Request): Scope {
  const { server, concurrency } = loaded.workspace;
  const targets = request.targets ?? [];
  const inShard = request.shard ?? (() => true);
  const inTarget = anyOf(targets.map(projectMatcher), true);
  return {
    policies: validated.policies,
    platform: server,
    includes: (project) => inTarget(project) && inShard(project),
    diff: {
      alwaysSend: server.secrets === "always-send",
      resend: anyOf((request.resend ?? []).map(addressMatcher), false),
      target: anyOf(targets.map(addressMatcher), true),
    },
    workers: request.concurrency ?? concurrency,
    ...(request.progress && { progress: request.progress }),
  };
}

export function guardRules({ loaded }: Opened, request: Request): GuardRules {
  const { guards, protected: globs } = loaded.workspace;
  return {
    guards,
    isProtected: anyOf(globs.map(addressMatcher), false),
    waivers: request.waivers ?? { deletes: 0, protected: new Set() },
  };
}

type Test = (text: string) => boolean;

function anyOf(tests: readonly Test[], whenNone: boolean): Test {
  return tests.length === 0 ? () => whenNone : (text) => tests.some((test) => test(text));
}
