import { createRedactor } from "./redact.ts";

/**
 * All that this process knows and nobody may see: the token, the ledger's key, every secret that was resolved, and the
 * credentials of URLs. Whoever reads another one teaches it here, before anything can go wrong with it.
 */
export const knownSecrets = createRedactor();

/** What stands in place of Evenkeel's own credentials, by the variable that may hold them. */
export const ownNames = { EVENKEEL_TOKEN: "[token]", EVENKEEL_LEDGER_KEY: "[ledger key]" } as const;

/** Learns what the environment itself holds of Evenkeel's own credentials. */
export function learnOwn(env: Readonly<Record<string, string | undefined>>): void {
  for (const [variable, name] of Object.entries(ownNames)) knownSecrets.learn(env[variable] ?? "", name);
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
