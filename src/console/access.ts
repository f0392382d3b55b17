import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { exit, UserError } from "../base/exit.ts";
import { learnCredential } from "../base/known-secrets.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { isSameSecret, valueOrFile } from "../secrets/token.ts";
import { formIn } from "./layout.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Access control: anyone who reaches a loopback address, has the token, or is named by a proxy. */
export type Access =
  | { readonly by: "loopback" }
  | { readonly by: "token"; readonly token: string }
  | { readonly by: "header"; readonly header: string };

/** What the options and the environment allow. @throws UserError where anybody could look from anywhere. */
export function accessFor(host: string, header: string | undefined, env: Environment): Access {
  const token = tokenOf(env);
  if (header !== undefined && token !== undefined)
    throw new UserError("--trust-user-header and EVENKEEL_CONSOLE_TOKEN cannot be used together", exit.usage);
  if (header !== undefined) return { by: "header", header: checkedHeader(header) };
  if (token !== undefined) return { by: "token", token };
  if (isThisMachine(host)) return { by: "loopback" };
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

function tokenOf(env: Environment): string | undefined {
  const { direct, file } = valueOrFile(env, "EVENKEEL_CONSOLE_TOKEN", exit.usage);
  if (direct === "" || file === "") throw new UserError(emptyToken, exit.usage);
  if (direct) return learnt(direct, "EVENKEEL_CONSOLE_TOKEN");
  return file ? learnt(readTokenFile(file).trim(), "the file that EVENKEEL_CONSOLE_TOKEN_FILE names") : undefined;
}

const emptyToken =
  "EVENKEEL_CONSOLE_TOKEN or EVENKEEL_CONSOLE_TOKEN_FILE is set and empty, so the console would ask for no token; set a token, or unset the variable";

/** One that can be guessed protects nothing. */
const shortest = 16;

function learnt(token: string, source: string): string {
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

/** Whether an address or a name can be reached from this machine only. */
function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/** Whether a request names this machine as its host: a page elsewhere whose name leads here does not. */
function namesLoopback(host: string | undefined): boolean {
  return isThisMachine((host ?? "").replace(/:\d+$/, ""));
}

/** Lifetime of a session in milliseconds. */
export const sessionLength = 12 * 3_600_000;

/** Who is signed in, by what their browser keeps; gone with the process. */
export interface Sessions {
  readonly begin: () => string;
  readonly holds: (session: string | undefined) => boolean;
}

/** Sessions by the clock that is given. */
export function sessions(now: () => number): Sessions {
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

/** Headers of every response, unless the response sets them itself. */
export const guarded: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(headers)) if (!context.res.headers.has(name)) context.header(name, value);
};

/** Only looking: everything else is refused. */
export const readOnly: MiddlewareHandler = async ({ req, body }, next) => {
  if (req.method === "GET" || req.method === "HEAD") return next();
  return body("The console is read-only: use GET or HEAD.\n", 405, { allow: "GET, HEAD" });
};

const cookie = "evenkeel_console";

/** How the console asks who is looking. */
export interface Gate {
  readonly access: Access;
  readonly signedIn: Sessions;
  /** Where people sign in. */
  readonly signIn: (context: Context, wrong: boolean) => Response | Promise<Response>;
}

/** Lets in who may look; a browser is asked for the token, anything else is refused. */
export function gate({ access, signedIn, signIn }: Gate): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context;
    if (access.by === "loopback") return namesLoopback(req.header("host")) ? next() : misdirected(context);
    if (access.by === "header") return req.header(access.header) ? next() : unnamed(context, access.header);
    if (req.path.startsWith("/assets/")) return next();
    if (req.path === "/sign-in") return enter(context, access.token, signedIn, signIn);
    if (signedIn.holds(getCookie(context, cookie)) || isBearer(req.header("authorization"), access.token))
      return next();
    return refusal(context, 401, "Send the console's token: Authorization: Bearer TOKEN.", () =>
      signIn(context, false),
    );
  };
}

function isBearer(header: string | undefined, token: string): boolean {
  const [, given] = /^Bearer +(\S+)$/i.exec(header ?? "") ?? [];
  return given !== undefined && isSameSecret(given, token);
}

/** The token leaves the address at once: what it gave is in a cookie that scripts and other sites do not get. */
async function enter(context: Context, token: string, signedIn: Sessions, signIn: Gate["signIn"]): Promise<Response> {
  const given = context.req.query("token");
  if (given === undefined || !isSameSecret(given, token)) {
    context.status(given === undefined ? 200 : 401);
    return signIn(context, given !== undefined);
  }
  const secure = context.req.header("x-forwarded-proto") === "https";
  const rest = { httpOnly: true, sameSite: "Strict", path: "/", secure, maxAge: sessionLength / 1000 } as const;
  setCookie(context, cookie, signedIn.begin(), rest);
  return context.redirect("/", 303);
}

function misdirected({ body }: Context): Response {
  return body("This console accepts requests for localhost and loopback addresses only.\n", 421);
}

function unnamed({ body }: Context, header: string): Response {
  return body(`The proxy in front of this console must set the header ${header}.\n`, 401);
}

/** The statuses of what is not shown. */
type RefusalStatus = 401 | 404 | 500 | 503;

/** Says why nothing is shown, in the form that the request asks for. `html` makes the page. */
export function refusal(
  context: Context,
  status: RefusalStatus,
  error: string,
  html: () => Response | Promise<Response>,
): Response | Promise<Response> {
  context.status(status);
  const { form } = formIn(context.req.path);
  if (form === "json") return context.json({ error });
  return form === "csv" ? context.text(`${error}\n`) : html();
}
