import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createRedactor, decodeUrl, type Redactor, usedCredentials } from "../base/known-secrets.ts";
import type { OwnVariable } from "../manifest/secret-reference.ts";
import { type FileIdentity, readSecretFile, standardFile } from "./secret-file.ts";

/** Evenkeel's own credentials, which manifests must not send. */
export interface OwnCredentials {
  /** True if a text contains one of them, also escaped or in Base64. */
  readonly isIn: (text: string) => boolean;
  /** True if a file, by device and inode, contains them. */
  readonly isOwnFile: (file: FileIdentity) => boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The credentials in a text. */
type Reading = (text: string) => readonly (string | undefined)[];

type ProxyVariable = "https_proxy" | "HTTPS_PROXY" | "http_proxy" | "HTTP_PROXY";

const inVariables: Readonly<Record<OwnVariable | ProxyVariable | "EVENKEEL_URL", Reading>> = {
  EVENKEEL_TOKEN: whole,
  EVENKEEL_LEDGER_KEY: whole,
  EVENKEEL_HOOK_SECRET: whole,
  EVENKEEL_CONSOLE_TOKEN: whole,
  EVENKEEL_STATE: credentialsInAddress,
  EVENKEEL_QUEUE: credentialsInAddress,
  https_proxy: loginAtHost,
  HTTPS_PROXY: loginAtHost,
  http_proxy: loginAtHost,
  HTTP_PROXY: loginAtHost,
  EVENKEEL_URL: loginAtHost,
};

/** Variables that name refused files, besides those above with `_FILE`. */
const fileVariables: readonly string[] = [
  ...["EVENKEEL_CLIENT_CERT", "EVENKEEL_CLIENT_KEY", "EVENKEEL_SECRET_PROVIDERS", "PGSSLKEY", "PGPASSFILE", "NETRC"],
];

/** Refused files in the home folder, of this program and of programs that it starts. */
const homeFiles: readonly string[] = [
  ...[standardFile, ".postgresql/postgresql.key", ".ssh/id_ed25519", ".ssh/id_ecdsa", ".ssh/id_rsa"],
  ...[".netrc", ".git-credentials", ".config/git/credentials"],
];

export function ownCredentials(env: Environment, root: string): OwnCredentials {
  let known: { readonly used: number; readonly redactor: Redactor } | undefined;
  return {
    isIn: (text) => {
      const used = usedCredentials().length;
      if (known?.used !== used) {
        // A short credential occurs in many values by chance, so it has to be all of them.
        const redactor = createRedactor(8);
        for (const credential of listTexts(env, root)) redactor.learn(credential, "");
        known = { used, redactor };
      }
      return known.redactor.isIn(text);
    },
    isOwnFile: ({ device, file }) =>
      listFiles(env, root).some((path) => {
        const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
        return stat?.dev === device && stat.ino === file;
      }),
  };
}

function listTexts(env: Environment, root: string): readonly string[] {
  const stated = Object.entries(inVariables).flatMap(([name, read]) => {
    const file = env[`${name}_FILE`];
    return [env[name] ?? "", file ? readCredential(file) : ""].flatMap(read);
  });
  const key = readCredential(keyFile(root));
  const isDatabaseUsed = env.EVENKEEL_STATE || env.EVENKEEL_STATE_FILE || env.EVENKEEL_QUEUE;
  const all = [...usedCredentials(), ...stated, key, isDatabaseUsed ? env.PGPASSWORD : undefined];
  return [...new Set(all.flatMap((text) => text?.trim() || []))];
}

function keyFile(root: string): string {
  return join(root, ".evenkeel", "ledger.key");
}

function listFiles(env: Environment, root: string): readonly string[] {
  const homes = [...new Set([env.HOME || homedir(), homedir()])];
  const named = [...Object.keys(inVariables).map((name) => `${name}_FILE`), ...fileVariables].map((name) => env[name]);
  const { EVENKEEL_STATE_FILE: stateFile } = env;
  const addresses = [env.EVENKEEL_STATE, stateFile && readCredential(stateFile), env.EVENKEEL_QUEUE];
  const keys = addresses.map((address = "") => {
    return URL.canParse(address) ? new URL(address).searchParams.get("sslkey") : null;
  });
  return [
    keyFile(root),
    ...[...named, ...keys].flatMap((path) => (path ? [resolve(path)] : [])),
    ...homes.flatMap((home) => homeFiles.map((name) => join(home, name))),
  ];
}

function readCredential(path: string): string {
  const found = readSecretFile(resolve(path));
  return "value" in found ? found.value : "";
}

function whole(text: string): readonly string[] {
  return [text];
}

/** The URL of a state or a queue, and its password. */
function credentialsInAddress(text: string): readonly string[] {
  const address = text.trim();
  return address === "" ? [] : [address, ...parseLogin(address)];
}

/** The password of a URL, encoded and decoded, and USER:PASSWORD as in a Basic header. A user without password is public. */
function parseLogin(text: string): readonly string[] {
  const [, user = "", password = ""] = /^\s*(?:[a-z][a-z\d+.-]*:\/\/)?([^:@/?#]*):(.+)@/is.exec(text) ?? [];
  if (password === "") return [];
  const plain = decodeUrl(password);
  return [password, plain, `${decodeUrl(user)}:${plain}`];
}

/** From the URL of a proxy, where a user without password is a credential. */
function loginAtHost(text: string): readonly string[] {
  const [, user = ""] = /^\s*(?:[a-z][a-z\d+.-]*:\/\/)?([^:@/?#]+)@/is.exec(text) ?? [];
  return user === "" ? parseLogin(text) : [user, decodeUrl(user)];
}
