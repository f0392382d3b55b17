import type { ClientOptions } from "../client/client.ts";
import { networkFor } from "../client/network.ts";
import { urlOf } from "../client/server-url.ts";
import { loadSettings } from "../workspace/load.ts";
import { readToken } from "../workspace/token.ts";
import type { Request } from "./request.ts";

/** What is needed to talk to a server without reading manifests. */
export type SiteRequest = Pick<Request, "folder" | "env" | "concurrency" | "signal" | "connecting">;

/**
 * How to reach the server of the workspace around a folder, or the one that EVENKEEL_URL names.
 * @throws Refusal where neither names one that requests may go to, where there is no usable token, or where `evenkeel.yaml` has mistakes.
 */
export function siteOf({ folder, env, concurrency, signal, connecting }: SiteRequest): ClientOptions {
  const { server, requestTimeout, authorities, ...settings } = loadSettings(folder);
  const url = urlOf(env, server);
  const { allowInsecure } = server;
  connecting?.();
  return {
    url,
    token: readToken(env),
    concurrency: concurrency ?? settings.concurrency,
    requestTimeout,
    allowInsecure,
    network: networkFor(url, env, authorities),
    signal,
  };
}
