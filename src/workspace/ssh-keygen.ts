import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { foreignEnvironment } from "../git/process-group.ts";

/** The signing key: a private key file, a public one whose private key is in an agent, or the only available key. */
export interface Signing {
  readonly message: string;
  readonly namespace: string;
  /** Omitted: the agent's only key, else the first default key file. */
  readonly key: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Creates an armored signature with `ssh-keygen -Y sign`, which may prompt for a passphrase. @throws UserError on failure. */
export function signedBySsh(signing: Signing): string {
  if (signing.key !== undefined) return signWith(signing.key, signing);
  const keys = agentKeys(signing.env);
  if (keys.length > 1)
    throw new UserError(`the SSH agent holds ${keys.length} keys: name one with --key FILE`, exit.usage);
  const [key] = keys;
  if (key !== undefined) return signWithAgent(key, signing);
  const folder = join(signing.env.HOME || homedir(), ".ssh");
  const file = ["id_ed25519", "id_ecdsa", "id_rsa"].map((name) => join(folder, name)).find(existsSync);
  if (file === undefined) throw new UserError("no SSH key found: name one with --key FILE", exit.usage);
  return signWith(file, signing);
}

function agentKeys(env: Signing["env"]): readonly string[] {
  if (!env.SSH_AUTH_SOCK) return [];
  const { status, stdout } = spawnSync("ssh-add", ["-L"], { encoding: "utf8", env: foreignEnvironment(env) });
  return status === 0 ? stdout.split("\n").filter((line) => line.includes(" ")) : [];
}

function signWithAgent(key: string, signing: Signing): string {
  const folder = mkdtempSync(join(tmpdir(), "evenkeel-key-"));
  try {
    const file = join(folder, "key.pub");
    writeFileSync(file, `${key}\n`);
    return signWith(file, signing);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function signWith(key: string, { message, namespace, env }: Signing): string {
  const args = ["-Y", "sign", "-f", key, "-n", namespace];
  const { status, stdout, stderr, error } = spawnSync("ssh-keygen", args, {
    input: message,
    encoding: "utf8",
    env: foreignEnvironment(env),
  });
  if (error) throw new UserError("approve needs ssh-keygen, of OpenSSH 8.2 or later, and cannot run it");
  if (status === 0 && stdout.includes("BEGIN SSH SIGNATURE")) return stdout;
  const why = stderr.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("Signing data"));
  throw new UserError(`cannot sign with ${key}: ${why[0] ?? `ssh-keygen exited with ${status}`}`);
}
