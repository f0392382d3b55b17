import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { exit, UserError } from "../base/exit.ts";
import { learnCredential } from "../base/known-secrets.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { isSameSecret, valueOrFile } from "../secrets/token.ts";
import { splitForm } from "./layout.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Access to the console: for anyone on a loopback address, holders of a token, or users that a proxy names. */
export type Access =
  | { readonly by: "loopback" }
  | { readonly by: "token"; readonly token: string }
  | { readonly by: "header"; readonly header: string };

/**
 * Access rules from the options and the environment. @throws UserError if anyone on the network could view the console.
 */
export function chooseAccess(host: string, header: string | undefined, env: Environment): Access {
  const token = readToken(env);
  if (header !== undefined && token !== undefined)
    throw new UserError("--trust-user-header and EVENKEEL_CONSOLE_TOKEN cannot be used together", exit.usage);
  if (header !== undefined) return { by: "header", header: checkedHeader(header) };
  if (token !== undefined) return { by: "token", token };
  if (isLoopback(host)) return { by: "loopback" };
  throw new UserError(
    `${host} is not a loopback address, so anyone on the network could view it: set EVENKEEL_CONSOLE_TOKEN, or --trust-user-header NAME ` +
      "behind an authenticating proxy",
    exit.usage,
  );
}

function checkedHeader(header: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]{0,99}$/.test(header)) return header.toLowerCase();
  throw new UserError("--trust-user-header takes the name of a header, such as X-Forwarded-User", exit.usage);
}

function readToken(env: Environment): string | undefined {
  const { direct, file } = valueOrFile(env, "EVENKEEL_CONSOLE_TOKEN", exit.usage);
  if (direct === "" || file === "") throw new UserError(emptyToken, exit.usage);
  if (direct) return registerToken(direct, "EVENKEEL_CONSOLE_TOKEN");
  return file
    ? registerToken(readTokenFile(file).trim(), "the file that EVENKEEL_CONSOLE_TOKEN_FILE names")
    : undefined;
}

const emptyToken =
  "EVENKEEL_CONSOLE_TOKEN or EVENKEEL_CONSOLE_TOKEN_FILE is set and empty, so the console would ask for no token; set a token, or unset the variable";

/** Minimum length in characters: a short token could be guessed. */
const shortest = 16;

function registerToken(token: string, source: string): string {
  learnCredential(token, "(token of the console)");
  if (token.length >= shortest) return token;
  throw new UserError(`${source} has ${token.length} characters; expected ${shortest} at least`, exit.usage);
}

function readTokenFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(
      `EVENKEEL_CONSOLE_TOKEN_FILE names ${file}, which cannot be read: ${describeSystemError(error)}`,
    );
  }
}

/** True for an address or name that only this machine can reach. */
function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/**
 * True if the Host header names this machine. Rejects DNS rebinding: a page elsewhere whose name resolves to this
 * address.
 */
function namesLoopback(host: string | undefined): boolean {
  return isLoopback((host ?? "").replace(/:\d+$/, ""));
}

/** Lifetime of a session in milliseconds. */
export const sessionLength = 12 * 3_600_000;

/** Browser sessions by cookie, kept in memory only. */
export interface Sessions {
  readonly begin: () => string;
  readonly holds: (session: string | undefined) => boolean;
}

export function createSessions(now: () => number): Sessions {
  const ends = new Map<string, number>();
  const forget = () => {
    for (const [session, end] of ends) if (end <= now()) ends.delete(session);
  };
  return {
    begin: () => {
      forget();
      const session = randomBytes(32).toString("base64url");
      ends.set(session, now() + sessionLength);
      return session;
    },
    holds: (session) => (ends.get(session ?? "") ?? 0) > now(),
  };
}

/** Pages load only the console's own style sheet and script, send nothing, and cannot be framed. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const headers = {
  "content-security-policy": contentPolicy,
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Adds the security headers that a response does not set itself. */
export const guarded: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(headers)) if (!context.res.headers.has(name)) context.header(name, value);
};

/** Rejects all methods but GET and HEAD. */
export const readOnly: MiddlewareHandler = async ({ req, body }, next) => {
  if (req.method === "GET" || req.method === "HEAD") return next();
  return body("The console is read-only: use GET or HEAD.\n", 405, { allow: "GET, HEAD" });
};

const cookie = "evenkeel_console";

/** Parts of the authentication. */
export interface Gate {
  readonly access: Access;
  readonly signedIn: Sessions;
  /** Renders the sign-in page. */
  readonly signIn: (context: Context, wrong: boolean) => Response | Promise<Response>;
}

/** Admits authorized requests. Others get the sign-in page, or 401 as JSON or CSV. */
export function gate({ access, signedIn, signIn }: Gate): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context;
    if (access.by === "loopback") return namesLoopback(req.header("host")) ? next() : refuseHost(context);
    if (access.by === "header") return req.header(access.header) ? next() : refuseUnnamed(context, access.header);
    if (req.path.startsWith("/assets/")) return next();
    if (req.path === "/sign-in") return signInWithToken(context, access.token, signedIn, signIn);
    if (signedIn.holds(getCookie(context, cookie)) || isBearer(req.header("authorization"), access.token))
      return next();
    return refusal(context, 401, "Send the console's token: Authorization: Bearer TOKEN.", () =>
      signIn(context, false),
    );
  };
}

function isBearer(header: string | undefined, token: string): boolean {
  const [, submitted] = /^Bearer +(\S+)$/i.exec(header ?? "") ?? [];
  return submitted !== undefined && isSameSecret(submitted, token);
}

/**
 * Exchanges the token in the query for a cookie that scripts and other sites cannot read, and redirects to remove it
 * from the address.
 */
async function signInWithToken(
  context: Context,
  token: string,
  signedIn: Sessions,
  signIn: Gate["signIn"],
): Promise<Response> {
  const submitted = context.req.query("token");
  if (submitted === undefined || !isSameSecret(submitted, token)) {
    context.status(submitted === undefined ? 200 : 401);
    return signIn(context, submitted !== undefined);
  }
  const secure = context.req.header("x-forwarded-proto") === "https";
  const rest = { httpOnly: true, sameSite: "Strict", path: "/", secure, maxAge: sessionLength / 1000 } as const;
  setCookie(context, cookie, signedIn.begin(), rest);
  return context.redirect("/", 303);
}

function refuseHost({ body }: Context): Response {
  return body("This console accepts requests for localhost and loopback addresses only.\n", 421);
}

function refuseUnnamed({ body }: Context, header: string): Response {
  return body(`The proxy in front of this console must set the header ${header}.\n`, 401);
}

/** Statuses of refused requests. */
type RefusalStatus = 401 | 404 | 500 | 503;

/** A refusal in the form that the request asks for; `html` makes the page. */
export function refusal(
  context: Context,
  status: RefusalStatus,
  error: string,
  html: () => Response | Promise<Response>,
): Response | Promise<Response> {
  context.status(status);
  const { form } = splitForm(context.req.path);
  if (form === "json") return context.json({ error });
  return form === "csv" ? context.text(`${error}\n`) : html();
}
