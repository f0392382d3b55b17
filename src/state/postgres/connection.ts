import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { ClientConfig, PoolConfig } from "pg";
import { UserError } from "../../base/exit.ts";
import { knownSecrets, learnCredential } from "../../base/known-secrets.ts";
import { didYouMean } from "../../base/nearest.ts";
import { describeSystemError, systemCode } from "../../base/system-errors.ts";
import { passwordFor } from "../../secrets/secret-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Database {
  readonly place: string;
  readonly user: string;
  readonly attempts: readonly PoolConfig[];
}

/** Parameters of the URL, and the variables that are their defaults. */
const variables = {
  ...{ sslmode: "PGSSLMODE", sslrootcert: "PGSSLROOTCERT", sslcert: "PGSSLCERT", sslkey: "PGSSLKEY" },
  application_name: undefined,
} as const;
const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

type Parameters = Partial<Record<keyof typeof variables, string>>;

/** Parses the URL, with defaults of libpq's variables. @throws UserError, without the URL. */
export function databaseAt(text: string, name: string, env: Environment): Database {
  const url = parseUrl(text, name);
  const user = decodePart(url.username, name) || env.PGUSER;
  const database = decodePart(url.pathname.slice(1), name);
  if (!user || !url.hostname || !database)
    throw new UserError(`${name} has no ${!user ? "user" : url.hostname ? "database" : "host"}; ${expected}`);
  const { application_name = "evenkeel", ...encryption } = readParameters(url, name, env);
  const host = decodePart(url.hostname, name).replace(/^\[(.*)\]$/, "$1");
  const port = Number(url.port || env.PGPORT || 5432);
  const login = { host, port, user, database };
  const password = decodePart(url.password, name) || env.PGPASSWORD || passwordFor(login, env.PGPASSFILE);
  for (const secret of [url.password, password ?? ""]) learnCredential(secret, "[state password]");
  // As a function, so that the driver reads no other source.
  const base = { ...login, password: () => password as string, application_name };
  const attempts = encryptions(encryption, host).map((ssl) => ({ ...base, ssl }));
  return { place: `${database} on ${decodePart(url.hostname, name)}:${port}`, user, attempts };
}

const expected = "expected postgres://USER[:PASSWORD]@HOST[:PORT]/DB";

function parseUrl(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^postgres(?:ql)?:$/.test(url.protocol)) return url;
  throw new UserError(`${name} is not a valid state URL; ${expected}`);
}

function decodePart(part: string, name: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new UserError(`${name} has an invalid % escape; write %25 for a percent sign`);
  }
}

function readParameters({ searchParams }: URL, name: string, env: Environment): Parameters {
  const known = Object.keys(variables);
  const stray = [...searchParams.keys()].find((key) => !known.includes(key));
  if (stray !== undefined) throw new UserError(`${name} has an unknown parameter ${stray}${didYouMean(stray, known)}`);
  const defaults = Object.entries(variables).map(([key, variable]) => [key, (variable && env[variable]) || undefined]);
  return Object.fromEntries([...defaults, ...searchParams]);
}

type Encryption = ConnectionOptions | false;

/** Follows libpq for each `sslmode`, but with Node's default certificate authorities. */
function encryptions({ sslmode = "prefer", ...files }: Parameters, host: string): readonly Encryption[] {
  const mode = modes.find((each) => each === sslmode);
  if (!mode) throw new UserError(`sslmode is ${JSON.stringify(sslmode)}; expected one of ${modes.join(", ")}`);
  // Unix sockets are not encrypted.
  if (host.startsWith("/")) return [false];
  const own = readCertificates(files);
  // Without the host, Node checks an IP address as `localhost`.
  const trusting: Encryption = { ...own, host, rejectUnauthorized: false };
  const checking: Encryption = { ...own, host };
  const anyName: Encryption = { ...checking, checkServerIdentity: () => undefined };
  const table: Readonly<Record<(typeof modes)[number], readonly Encryption[]>> = {
    disable: [false],
    allow: [false, trusting],
    prefer: [trusting, false],
    require: [own.ca === undefined ? trusting : anyName],
    "verify-ca": [anyName],
    "verify-full": [checking],
  };
  return table[mode];
}

function readCertificates({ sslrootcert, sslcert, sslkey }: Parameters): ConnectionOptions {
  const files = { ca: sslrootcert === "system" ? undefined : sslrootcert, cert: sslcert, key: sslkey };
  return Object.fromEntries(Object.entries(files).flatMap(([use, file]) => (file ? [[use, readText(file)]] : [])));
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`cannot read ${file} for the connection to the state: ${describeSystemError(error)}`);
  }
}

export interface Sockets {
  readonly stream: () => Socket;
  /** Destroys all of them, and later ones, so that none keeps the process alive. */
  readonly cut: () => void;
}

export function openSockets(): Sockets {
  const open = new Set<Socket>();
  let isOver = false;
  const stream = () => {
    const socket = new Socket();
    open.add(socket);
    if (isOver) setImmediate(() => socket.destroy());
    return socket.once("close", () => open.delete(socket));
  };
  return {
    stream,
    cut: () => {
      isOver = true;
      for (const socket of open) socket.destroy();
    },
  };
}

/** Milliseconds to wait for a response. */
export const databasePatience = 10_000;

/** The configuration with the first encryption that the server accepts. Throws the driver's error. */
export async function acceptedConfig({ attempts }: Database, stream: Sockets["stream"]): Promise<PoolConfig> {
  const { default: pg } = await import("pg");
  // Without a listener, an error of an idle connection would end the process; the next statement reports it.
  class Quiet extends pg.Client {
    constructor(config?: ClientConfig) {
      super(config);
      this.on("error", () => {});
    }
  }
  let refused: unknown;
  for (const attempt of attempts) {
    const config = { ...attempt, stream };
    const client = new Quiet({ ...config, connectionTimeoutMillis: databasePatience });
    try {
      await client.connect();
      return { ...config, Client: Quiet };
    } catch (error) {
      refused = error;
      if (!isAboutEncryption(error)) break;
    } finally {
      client.end().catch(() => {});
    }
  }
  throw refused;
}

function isAboutEncryption(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isRefused = /does not support SSL|no pg_hba\.conf entry/.test(error.message);
  return isRefused || /^ERR_SSL|^EPROTO/.test(systemCode(error) ?? "");
}

/** True for a code of the operating system: the connection failed. */
export function isSystemCode(code: string): boolean {
  return /^E(?!RR_)[A-Z_]+$/.test(code);
}

/** The first line of the message of an error, without secrets. */
export function databaseErrorText(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { errors = [error] } = error as Partial<AggregateError>;
  const [first = error] = errors;
  const code = systemCode(first) ?? "";
  if (isSystemCode(code)) return describeSystemError(first);
  return knownSecrets.clean(first instanceof Error ? first.message.split("\n")[0] || code : String(first));
}
