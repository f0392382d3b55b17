import { join, resolve } from "node:path";
import { Refusal } from "../base/exit.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { holds } from "../base/secret-fragments.ts";
import type { SecretReference } from "../model/types.ts";
import { readSecretFile, type SecretRead } from "./secret-file.ts";
import { pipedToken } from "./token.ts";

/** The only way from a reference to its value. */
export interface Secrets {
  /**
   * The secret's value.
   * @throws SecretMissing where it is unset, empty or cannot be read.
   */
  resolve(reference: SecretReference): string;
  /** Those that cannot be resolved, each once and with the reason, sorted: `env:HOOK (not set)`. */
  missing(references: Iterable<SecretReference>): readonly string[];
}

/** A reference that leads to no value. The message never holds a value. */
export class SecretMissing extends Refusal {
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
  /** Folder that `file:` paths are relative to: the workspace. */
  readonly root: string;
  /** Literals that the workspace allows, by their whole reference (`manifest:FILE:LINE:COLUMN`). */
  readonly plaintext: ReadonlyMap<string, string>;
}

const schemes: Readonly<Record<string, (rest: string, sources: SecretSources) => SecretRead>> = {
  env: (name, { env }) => orEmpty(Object.hasOwn(env, name) ? env[name] : undefined),
  file: (path, { root }) => readSecretFile(resolve(root, path)),
  manifest: (rest, { plaintext }) => {
    const value = plaintext.get(`manifest:${rest}`);
    return value === undefined ? { why: "it is in no manifest" } : { value };
  },
};

/** Resolves `env:NAME`, `file:PATH` (one trailing newline stripped) and literals of manifests; values are kept. */
export function createSecrets(sources: SecretSources): Secrets {
  const known = new Map<string, SecretRead>();
  let own: readonly string[] | undefined;
  const lookUp = (reference: string): SecretRead => {
    const found = foundBy(reference, sources);
    own ??= ownSecrets(sources);
    if (!("value" in found)) return found;
    if (own.some((secret) => holds(found.value, secret))) return ownSecret;
    knownSecrets.learn(found.value, reference);
    return found;
  };
  const find = ({ secret }: SecretReference): SecretRead => {
    const found = known.get(secret) ?? lookUp(secret);
    known.set(secret, found);
    return found;
  };
  return {
    resolve(reference) {
      const found = find(reference);
      if ("why" in found) throw new SecretMissing(reference.secret, found.why);
      return found.value;
    },
    missing(references) {
      const names = new Set<string>();
      for (const reference of references) {
        const found = find(reference);
        if ("why" in found) names.add(`${reference.secret} (${found.why})`);
      }
      return [...names].sort();
    },
  };
}

const ownSecret: SecretRead = { why: "it contains Evenkeel's own token or key, which no manifest may send" };

/** What a hostile manifest would like to see sent somewhere: the access token and the ledger's key. */
function ownSecrets({ env, root }: SecretSources): readonly string[] {
  const tokenFile = env.EVENKEEL_TOKEN_FILE && resolve(env.EVENKEEL_TOKEN_FILE);
  const values = [env.EVENKEEL_TOKEN, env.EVENKEEL_LEDGER_KEY, tokenFile && pipedToken(tokenFile)];
  const files = [tokenFile, join(root, ".evenkeel", "ledger.key")].flatMap((file) => file || []);
  const texts = files.map(readSecretFile).flatMap((found) => ("value" in found ? [found.value] : []));
  return [...values, ...texts].flatMap((value) => value?.trim() || []);
}

function foundBy(reference: string, sources: SecretSources): SecretRead {
  const colon = reference.indexOf(":");
  const scheme = reference.slice(0, Math.max(colon, 0));
  const find = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  return find ? find(reference.slice(colon + 1), sources) : { why: "expected env:NAME or file:PATH" };
}

function orEmpty(value: string | undefined): SecretRead {
  if (value === undefined) return { why: "not set" };
  return value === "" ? { why: "set, but empty" } : { value };
}
