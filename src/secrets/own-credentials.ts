import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createRedactor, decodeUrl, usedCredentials } from "../base/known-secrets.ts";
import { type FileIdentity, passwordsIn, readSecretFile, standardFile } from "./secret-file.ts";

/** Evenkeel's own credentials, which manifests must not send. */
export interface OwnCredentials {
  /** True if a text contains one of them, also escaped or in Base64. */
  readonly areIn: (text: string) => boolean;
  /** True if a file, by device and inode, contains them. */
  readonly fillFile: (file: FileIdentity) => boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

type Reading = (text: string) => readonly (string | undefined)[];

const inVariables: Readonly<Record<string, Reading>> = {
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

const inNamedFiles: Readonly<Record<string, Reading>> = {
  EVENKEEL_TOKEN_FILE: whole,
  EVENKEEL_LEDGER_KEY_FILE: whole,
  EVENKEEL_HOOK_SECRET_FILE: whole,
  EVENKEEL_CONSOLE_TOKEN_FILE: whole,
  EVENKEEL_STATE_FILE: credentialsInAddress,
  EVENKEEL_CLIENT_CERT: parseKeys,
  EVENKEEL_CLIENT_KEY: parseKeys,
  PGSSLKEY: parseKeys,
  NETRC: whole,
  EVENKEEL_SECRET_PROVIDERS: whole,
};

/** Files with credentials in the home folder, of this program and of programs that it starts. */
const inHome: Readonly<Record<string, Reading>> = {
  ".postgresql/postgresql.key": parseKeys,
  ".ssh/id_ed25519": parseKeys,
  ".ssh/id_ecdsa": parseKeys,
  ".ssh/id_rsa": parseKeys,
  ".netrc": whole,
  ".git-credentials": whole,
  ".config/git/credentials": whole,
};

export function ownCredentials(env: Environment, root: string): OwnCredentials {
  let known: { readonly used: number; readonly holds: (text: string) => boolean } | undefined;
  return {
    areIn: (text) => {
      const used = usedCredentials().length;
      if (known?.used !== used) known = { used, holds: holderTest(listTexts(env, root)) };
      return known.holds(text);
    },
    fillFile: (file) => listFiles(env, root).some(({ path }) => isSame(path, file)),
  };
}

/** Tests whether a value contains a credential. A short one occurs in many values by chance, so it has to be all of them. */
function holderTest(credentials: readonly string[]): (text: string) => boolean {
  const redactor = createRedactor(8);
  for (const credential of credentials) redactor.learn(credential, "");
  return redactor.isIn;
}

function listTexts(env: Environment, root: string): readonly string[] {
  const stated = Object.entries(inVariables).flatMap(([name, read]) => read(env[name] ?? ""));
  const filed = listFiles(env, root).flatMap(({ path, read }) => read(readCredential(path)));
  const beside = usesDatabase(env) ? [env.PGPASSWORD] : [];
  return [...new Set([...usedCredentials(), ...stated, ...filed, ...beside].flatMap((text) => text?.trim() || []))];
}

interface CredentialFile {
  readonly path: string;
  readonly read: Reading;
}

function listFiles(env: Environment, root: string): readonly CredentialFile[] {
  const homes = [...new Set([env.HOME || homedir(), homedir()])];
  const named = Object.entries(inNamedFiles).flatMap(([name, read]) => {
    const file = env[name];
    return file ? [{ path: resolve(file), read }] : [];
  });
  const usual = homes.flatMap((home) =>
    Object.entries(inHome).map(([name, read]): CredentialFile => ({ path: join(home, name), read })),
  );
  const { EVENKEEL_STATE_FILE: stateFile } = env;
  const addresses = [env.EVENKEEL_STATE, stateFile && readCredential(resolve(stateFile)), env.EVENKEEL_QUEUE];
  const keys = addresses.flatMap(findKeyFile);
  return [
    { path: join(root, ".evenkeel", "ledger.key"), read: whole },
    ...named,
    ...passwordFiles(env, homes),
    ...keys.map((path) => ({ path: resolve(path), read: parseKeys })),
    ...usual,
  ];
}

/** Never allowed as secret files. Their passwords count only if a database is configured. */
function passwordFiles(env: Environment, homes: readonly string[]): readonly CredentialFile[] {
  const usual = homes.map((home) => join(home, standardFile));
  const paths = env.PGPASSFILE ? [resolve(env.PGPASSFILE), ...usual] : usual;
  return paths.map((path) => ({ path, read: usesDatabase(env) ? passwordsIn : () => [] }));
}

function usesDatabase({ EVENKEEL_STATE, EVENKEEL_STATE_FILE, EVENKEEL_QUEUE }: Environment): boolean {
  return Boolean(EVENKEEL_STATE || EVENKEEL_STATE_FILE || EVENKEEL_QUEUE);
}

function findKeyFile(address = ""): readonly string[] {
  const key = URL.canParse(address) ? new URL(address).searchParams.get("sslkey") : undefined;
  return key ? [key] : [];
}

function isSame(path: string, { device, file }: FileIdentity): boolean {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat !== undefined && stat.dev === device && stat.ino === file;
}

function readCredential(path: string): string {
  const found = readSecretFile(path);
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

/** The private keys of a PEM file, with and without their frame. */
function parseKeys(text: string): readonly string[] {
  return [...text.matchAll(privateKey)].flatMap(([block, , body = ""]) => [block, body.replace(/^[\w-]+:.*$/gm, "")]);
}

const privateKey = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----(.*?)-----END \1-----/gs;

/** From the URL of a proxy, where a user without password is a credential. */
function loginAtHost(text: string): readonly string[] {
  const [, user = ""] = /^\s*(?:[a-z][a-z\d+.-]*:\/\/)?([^:@/?#]+)@/is.exec(text) ?? [];
  return user === "" ? parseLogin(text) : [user, decodeUrl(user)];
}
