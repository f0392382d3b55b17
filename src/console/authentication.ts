import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { isSameSecret } from "../secrets/token.ts";
import { type Access, namesLoopback, type Sessions, sessionLength } from "./access.ts";
import { refusal } from "./refusal.ts";

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
