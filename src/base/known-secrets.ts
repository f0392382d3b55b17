import { createRedactor } from "./redact.ts";

/**
 * All secrets of this process, which are redacted from its output: the token, the ledger's key, every resolved secret, and
 * the credentials of URLs. Code that reads another one adds it here, before anything can fail with it.
 */
export const knownSecrets = createRedactor();

/** What stands in place of Evenkeel's own credentials, by the variable that may hold them. */
export const ownNames = { EVENKEEL_TOKEN: "[token]", EVENKEEL_LEDGER_KEY: "[ledger key]" } as const;

const credentials = new Set<string>();

/** Learns a credential of this process itself: it is redacted, and no manifest may send it. */
export function learnCredential(value: string, name: string): void {
  knownSecrets.learn(value, name);
  if (value.trim() !== "") credentials.add(value.trim());
}

/** All that this process has opened something with, wherever it came from: its file may hold another one by now. */
export function usedCredentials(): readonly string[] {
  return [...credentials];
}

/** Begins a run that knows the secrets of the environment alone. */
export function startAfresh(env: Readonly<Record<string, string | undefined>>): void {
  knownSecrets.forget();
  credentials.clear();
  for (const [variable, name] of Object.entries(ownNames)) learnCredential(env[variable] ?? "", name);
}

/**
 * What may be shown of something that was thrown: its name, message, stack and code without secrets. All else that it
 * carries is left behind.
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
