import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Refusal } from "../base/exit.ts";
import type { SecretReference } from "../model/types.ts";

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

type Found = { readonly value: string } | { readonly why: string };

const sizeLimit = 1024 * 1024;

const schemes: Readonly<Record<string, (rest: string, sources: SecretSources) => Found>> = {
  env: (name, { env }) => orEmpty(env[name]),
  file: (path, { root }) => readSecretFile(resolve(root, path)),
  manifest: (rest, { plaintext }) => {
    const value = plaintext.get(`manifest:${rest}`);
    return value === undefined ? { why: "no manifest holds it" } : { value };
  },
};

/** Resolves `env:NAME`, `file:PATH` (one trailing newline stripped) and literals of manifests; values are kept. */
export function createSecrets(sources: SecretSources): Secrets {
  const known = new Map<string, Found>();
  const find = ({ secret }: SecretReference): Found => {
    const before = known.get(secret);
    if (before) return before;
    const found = lookUp(secret, sources);
    const guarded = "value" in found && ownSecrets(sources).has(found.value) ? ownSecret : found;
    known.set(secret, guarded);
    return guarded;
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

const ownSecret: Found = { why: "it is Evenkeel's own token or key, which no manifest may send" };

/** What a hostile manifest would like to see sent somewhere: the access token and the ledger's key. */
function ownSecrets({ env, root }: SecretSources): ReadonlySet<string> {
  const files = [env.EVENKEEL_TOKEN_FILE && resolve(env.EVENKEEL_TOKEN_FILE), join(root, ".evenkeel", "ledger.key")];
  const kept = files.flatMap((file) => (file ? [readSecretFile(file)] : []));
  const values = kept.map((found) => ("value" in found ? found.value : undefined));
  return new Set([env.EVENKEEL_TOKEN, env.EVENKEEL_LEDGER_KEY, ...values].flatMap((value) => value?.trim() || []));
}

function lookUp(reference: string, sources: SecretSources): Found {
  const colon = reference.indexOf(":");
  const scheme = reference.slice(0, Math.max(colon, 0));
  const find = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  return find ? find(reference.slice(colon + 1), sources) : { why: "expected env:NAME or file:PATH" };
}

function orEmpty(value: string | undefined): Found {
  if (value === undefined) return { why: "not set" };
  return value === "" ? { why: "set, but empty" } : { value };
}

function readSecretFile(path: string): Found {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { why: "not a file" };
    if (stat.size > sizeLimit) return { why: "larger than 1 MiB" };
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
    const value = text.replace(/\r?\n$/, "");
    return value === "" ? { why: "an empty file" } : { value };
  } catch (error) {
    return { why: fileTrouble(error as NodeJS.ErrnoException) };
  }
}

function fileTrouble({ code }: NodeJS.ErrnoException): string {
  if (code === "ENOENT" || code === "ENOTDIR") return "no such file";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "not UTF-8 text";
  return code === "EACCES" || code === "EPERM" ? "may not be read" : `cannot be read (${code})`;
}
