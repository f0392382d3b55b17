import type { Context, MiddlewareHandler } from "hono";
import { exit, UserError } from "../base/exit.ts";
import { learnCredential } from "../base/known-secrets.ts";
import { isSameSecret, readVariable } from "../secrets/token.ts";
import { splitForm } from "./layout.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Access to the console: for anyone on a loopback address, holders of a token, or users that a proxy names. */
export type Access =
  | { readonly by: "loopback" }
  | { readonly by: "token"; readonly token: string }
  | { readonly by: "header"; readonly header: string };

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
  const { EVENKEEL_CONSOLE_TOKEN: direct, EVENKEEL_CONSOLE_TOKEN_FILE: path } = env;
  if (direct === "" || path === "") throw new UserError(emptyToken, exit.usage);
  const found = readVariable(env, "EVENKEEL_CONSOLE_TOKEN", { code: exit.usage });
  if (!found) return undefined;
  const token = found.text.trim();
  learnCredential(token, "(token of the console)");
  if (token.length >= shortest) return token;
  throw new UserError(`${found.source} has ${token.length} characters; expected ${shortest} at least`, exit.usage);
}

const emptyToken =
  "EVENKEEL_CONSOLE_TOKEN or EVENKEEL_CONSOLE_TOKEN_FILE is set and empty, so the console would ask for no token; set a token, or unset the variable";

/** Minimum length in characters: a short token could be guessed. */
const shortest = 16;

/** True for an address or name that only this machine can reach. */
function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
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

export const guarded: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(headers)) if (!context.res.headers.has(name)) context.header(name, value);
};

export const readOnly: MiddlewareHandler = async ({ req, body }, next) => {
  if (req.method === "GET" || req.method === "HEAD") return next();
  return body("The console is read-only: use GET or HEAD.\n", 405, { allow: "GET, HEAD" });
};

export function gate(access: Access): MiddlewareHandler {
  return async (context, next) => {
    const { req, body } = context;
    // Rejects DNS rebinding: a page elsewhere whose name resolves to this address.
    if (access.by === "loopback" && !isLoopback((req.header("host") ?? "").replace(/:\d+$/, "")))
      return body("This console accepts requests for localhost and loopback addresses only.\n", 421);
    if (access.by === "header" && !req.header(access.header))
      return body(`The proxy in front of this console must set the header ${access.header}.\n`, 401);
    if (access.by !== "token") return next();
    if (isAuthorized(req.header("authorization"), access.token)) return next();
    context.header("www-authenticate", 'Basic realm="Evenkeel console", charset="UTF-8"');
    return refusal(context, 401, signInText, () => context.text(`${signInText}\n`));
  };
}

const signInText =
  "Enter the console's token as the password, with any user name; programs send Authorization: Bearer TOKEN.";

/** True for the token as a bearer token, or as the password of a user with any name. */
function isAuthorized(header: string | undefined, token: string): boolean {
  const [, scheme = "", credentials = ""] = /^(Bearer|Basic) +(\S+)$/i.exec(header ?? "") ?? [];
  if (scheme.toLowerCase() !== "basic") return credentials !== "" && isSameSecret(credentials, token);
  const pair = Buffer.from(credentials, "base64").toString("utf8");
  return isSameSecret(pair.slice(pair.indexOf(":") + 1), token);
}

/** Refuses a request: as JSON if its path asks for that, else as the page that `html` makes. */
export function refusal(
  context: Context,
  status: 401 | 404 | 500 | 503,
  error: string,
  html: () => Response | Promise<Response>,
): Response | Promise<Response> {
  context.status(status);
  return splitForm(context.req.path).isJson ? context.json({ error }) : html();
}
