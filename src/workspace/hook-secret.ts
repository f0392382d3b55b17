import { resolve } from "node:path";
import { UserError } from "../base/exit.ts";
import { learnCredential } from "../base/known-secrets.ts";
import { readSecretFile } from "./secret-file.ts";

/**
 * What push hooks have to know, from EVENKEEL_HOOK_SECRET or the file that EVENKEEL_HOOK_SECRET_FILE names; undefined
 * where neither is set.
 * @throws UserError, which never repeats it.
 */
export function readHookSecret(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { EVENKEEL_HOOK_SECRET: direct, EVENKEEL_HOOK_SECRET_FILE: file } = env;
  if (direct && file)
    throw new UserError("EVENKEEL_HOOK_SECRET and EVENKEEL_HOOK_SECRET_FILE are both set; set only one");
  const secret = direct || (file ? secretIn(file) : undefined);
  if (secret) learnCredential(secret, "[hook secret]");
  return secret;
}

function secretIn(file: string): string {
  const read = readSecretFile(resolve(file));
  if ("value" in read) return read.value;
  throw new UserError(`EVENKEEL_HOOK_SECRET_FILE names ${file}, which cannot be used: ${read.why}`);
}
