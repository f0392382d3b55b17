import { resolve } from "node:path";
import { UserError } from "../base/exit.ts";
import { grouped } from "../base/grouped.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import type { Providers } from "../manifest/secret-providers.ts";
import { isProvided, schemeOf } from "../manifest/secret-reference.ts";
import type { SecretReference } from "../model/types.ts";
import { askProviders, type ProviderRequest } from "./ask-provider.ts";
import { type OwnCredentials, ownCredentials } from "./own-credentials.ts";
import { readSecretFile, type SecretRead } from "./secret-file.ts";

export interface Secrets {
  /** Requests values from providers, which the other methods do not; returns what is missing. */
  ask(references: Iterable<SecretReference>, signal?: AbortSignal): Promise<readonly string[]>;
  /** @throws SecretMissing if it is unset, empty, cannot be read, or was not requested from its provider. */
  resolve(reference: SecretReference): string;
  known(reference: SecretReference): string | undefined;
  /** With the reason, sorted: `env:HOOK (not set)`. Those that a provider was not asked for are not included. */
  missing(references: Iterable<SecretReference>): readonly string[];
}

/** A reference that cannot be resolved. The message contains no value. */
export class SecretMissing extends UserError {
  readonly reference: string;
  readonly why: string;
  constructor(reference: string, why: string) {
    super(`secret ${reference} cannot be resolved: ${why}`);
    this.name = "SecretMissing";
    this.reference = reference;
    this.why = why;
  }
}

export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The workspace, the base of `file:` paths. */
  readonly root: string;
  /** Literals in manifests by reference (`manifest:FILE:LINE:COLUMN`). */
  readonly plaintext: ReadonlyMap<string, string>;
  readonly providers?: Providers | undefined;
  readonly debug?: ((text: string) => void) | undefined;
}

const schemes: Readonly<Record<string, (rest: string, sources: SecretSources, own: OwnCredentials) => SecretRead>> = {
  env: (name, { env }) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) return { why: "not set" };
    return value === "" ? { why: "set, but empty" } : { value };
  },
  file: (path, { root }, own) =>
    readSecretFile(resolve(root, path), (file) => (own.isOwnFile(file) ? ownSecret.why : undefined)),
  manifest: (rest, { plaintext }) => {
    const value = plaintext.get(`manifest:${rest}`);
    return value === undefined ? { why: "it is in no manifest" } : { value };
  },
};

/** Values are cached. */
export function createSecrets(sources: SecretSources): Secrets {
  const kept = new Map<string, SecretRead>();
  const own = ownCredentials(sources.env, sources.root);
  const keep = (reference: string, found: SecretRead): SecretRead => {
    const isOwn = "value" in found && own.isIn(found.value);
    if ("value" in found && !isOwn) knownSecrets.learn(found.value, reference);
    const read = isOwn ? ownSecret : found;
    kept.set(reference, read);
    return read;
  };
  const find = (reference: string): SecretRead | undefined => {
    const found = kept.get(reference);
    if (found) return found;
    const isAskable = isProvided(reference) && sources.providers?.known.has(schemeOf(reference).scheme);
    return isAskable ? undefined : keep(reference, readReference(reference, sources, own));
  };
  const missing = (references: Iterable<SecretReference>): readonly string[] => {
    const names = new Set<string>();
    for (const { secret } of references) {
      const found = find(secret);
      if (found && "why" in found) names.add(`${secret} (${knownSecrets.clean(found.why)})`);
    }
    return [...names].sort();
  };
  return {
    missing,
    async ask(references, signal) {
      const asked = [...references].filter(({ secret }) => find(secret) === undefined);
      const printed: string[] = [];
      const answers = await askProviders(requestsTo(asked, sources), {
        ...{ folder: sources.root, env: sources.env, signal },
        onStderr: ({ name }, stderr) => stderr && printed.push(`${name}: ${stderr.trimEnd()}`),
      });
      if (!signal?.aborted) for (const { provider, name, read } of answers) keep(`${provider.name}:${name}`, read);
      for (const each of printed) sources.debug?.(knownSecrets.clean(each));
      return missing(asked);
    },
    known({ secret }) {
      const found = find(secret);
      return found && "value" in found ? found.value : undefined;
    },
    resolve({ secret }) {
      const found = find(secret) ?? { why: "its provider was not asked" };
      if ("why" in found) throw new SecretMissing(secret, found.why);
      return found.value;
    },
  };
}

function requestsTo(references: readonly SecretReference[], { providers }: SecretSources): ProviderRequest[] {
  const byProvider = grouped(
    [...new Set(references.map(({ secret }) => secret))].map(schemeOf),
    ({ scheme }) => scheme,
  );
  return [...byProvider].flatMap(([scheme, all]) => {
    const provider = providers?.known.get(scheme);
    return provider ? [{ provider, names: all.map(({ name }) => name) }] : [];
  });
}

const ownSecret = {
  why: "it contains a secret of Evenkeel itself, such as its token or what opens its state, hooks or console, which no manifest may send",
};

function readReference(reference: string, sources: SecretSources, own: OwnCredentials): SecretRead {
  const { scheme, name } = schemeOf(reference);
  const find = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  if (find) return find(name, sources, own);
  if (scheme === "") return { why: "expected env:NAME, file:PATH or PROVIDER:NAME" };
  return { why: sources.providers ? `no provider ${scheme} is defined` : "EVENKEEL_SECRET_PROVIDERS is not set" };
}
