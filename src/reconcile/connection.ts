import type { ClientOptions } from "../client/client.ts";
import type { RateOptions } from "../client/limiter.ts";
import { networkFor } from "../client/network.ts";
import { urlNameOf, urlOf } from "../client/server-url.ts";
import { isTemplate } from "../manifest/template.ts";
import { defaultWorkspace } from "../manifest/workspace.ts";
import { referencesIn } from "../model/values.ts";
import { readToken, tokenNameOf } from "../secrets/token.ts";
import { ratesAt } from "../state/open-state.ts";
import { type Loaded, loadSettings, type Workspace } from "../workspace/load.ts";
import type { Checked, Context } from "./context.ts";
import type { Request } from "./request.ts";

/**
 * How to reach the server of a workspace. The secrets that policies name are learnt first, as far as they are set here,
 * for the server may repeat them in anything that is read.
 * @throws UserError where none is named that requests may go to, or there is no usable token.
 */
export function connectionOf({ loaded, request, secrets, policies, ...run }: Checked | Context): ClientOptions {
  const references = policies.flatMap(({ entries }) => entries.flatMap(({ desired }) => referencesIn(desired.fields)));
  secrets.missing(references.filter(({ secret }) => !isTemplate(secret)));
  const rates = "state" in run ? { rates: run.state.rates } : undefined;
  return { ...connection({ ...loaded.workspace, authorities: loaded.authorities }, request, rates), secrets };
}

/** What is needed to talk to a server without reading manifests. */
export type ConnectionRequest = Pick<
  Request,
  "folder" | "env" | "concurrency" | "signal" | "connecting" | "patience" | "warn"
>;

/**
 * How to reach the server of the workspace around a folder, or the one that EVENKEEL_URL names; no manifest is read.
 * @throws UserError as {@link connectionOf}, and where `evenkeel.yaml` has mistakes.
 */
export function connectionFrom(request: ConnectionRequest): ClientOptions {
  return connection(loadSettings(request.folder), request);
}

/**
 * How to reach a server that no workspace names yet, or the one that EVENKEEL_URL names.
 * @throws UserError as {@link connectionOf}.
 */
export function connectionTo(url: string, request: ConnectionRequest): ClientOptions {
  return connection({ ...defaultWorkspace, server: { ...defaultWorkspace.server, url } }, request);
}

type Settings = Pick<Workspace, "catalogue" | "server" | "requestTimeout" | "concurrency" | "rateLimit"> &
  Pick<Loaded, "authorities">;

function connection(
  { catalogue, server, requestTimeout, authorities, rateLimit, ...settings }: Settings,
  request: ConnectionRequest,
  kept?: Pick<RateOptions, "rates" | "close">,
): ClientOptions {
  const { env, signal, patience, connecting, warn, concurrency = settings.concurrency } = request;
  const url = urlOf(env, server);
  const { allowInsecure, dialect } = server;
  const network = networkFor(url, env, authorities);
  const token = readToken(env);
  connecting?.();
  return {
    url,
    urlName: urlNameOf(env),
    token,
    tokenName: tokenNameOf(env),
    concurrency,
    requestTimeout,
    allowInsecure,
    dialect,
    catalogue,
    network,
    signal,
    onPause: warn,
    ...(rateLimit && { rate: { limit: rateLimit, onTrouble: warn, ...(kept ?? ratesAt(env)) } }),
    ...patience,
  };
}
