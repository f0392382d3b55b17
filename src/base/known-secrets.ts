import { createRedactor } from "./redact.ts";

/**
 * All secrets of this process, which are redacted from its output: the token, the ledger's key, resolved secrets and
 * credentials in URLs. Code that reads another secret must add it before using it.
 */
export const knownSecrets = createRedactor();

/** Replacements for Evenkeel's own credentials, by environment variable. */
export const ownNames = { EVENKEEL_TOKEN: "[token]", EVENKEEL_LEDGER_KEY: "[ledger key]" } as const;

const credentials = new Set<string>();

/** Registers a credential of this process: it is redacted, and no manifest may send it. */
export function learnCredential(value: string, name: string): void {
  knownSecrets.learn(value, name);
  if (value.trim() !== "") credentials.add(value.trim());
}

/** All credentials that this process has used. */
export function usedCredentials(): readonly string[] {
  return [...credentials];
}

/** Forgets all secrets but those of the environment. */
export function resetSecrets(env: Readonly<Record<string, string | undefined>>): void {
  knownSecrets.forget();
  credentials.clear();
  for (const [variable, name] of Object.entries(ownNames)) learnCredential(env[variable] ?? "", name);
}

/**
 * A copy of a thrown error that is safe to print: name, message, stack and code without secrets. Other properties
 * are dropped.
 */
export function withoutSecrets(thrown: unknown): Error {
  const { name, message, stack, code } = partsOf(thrown);
  const error = new Error(knownSecrets.clean(message));
  error.name = name;
  error.stack = knownSecrets.clean(stack ?? message);
  return code === undefined ? error : Object.assign(error, { code });
}

interface Parts {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string;
}

function partsOf(thrown: unknown): Parts {
  if (!(thrown instanceof Error)) return { name: "Error", message: String(thrown) };
  const { name, message, stack } = thrown;
  return { name, message, stack, ...("code" in thrown && { code: String(thrown.code) }) };
}
