import { firstFew } from "../base/text-format.ts";
import type { ClientOptions } from "../client/client.ts";
import type { RateOptions } from "../client/limiter.ts";
import { readNetwork } from "../client/network.ts";
import { chooseServerUrl, chooseUrlName } from "../client/server-url.ts";
import { isTemplate } from "../manifest/template.ts";
import { defaultWorkspace } from "../manifest/workspace.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Change, Problem, SecretReference } from "../model/types.ts";
import { referencesIn } from "../model/values.ts";
import type { Difference } from "../plan/diff/diff.ts";
import { secretsSentBy } from "../plan/requests.ts";
import { readToken, tokenNameOf, tokenRenewal } from "../secrets/token.ts";
import { ratesAt } from "../state/open-state.ts";
import { type Loaded, loadSettings, type Workspace } from "../workspace/load.ts";
import type { Checked, Context } from "./context.ts";
import type { Request } from "./request.ts";

/**
 * Client options for the server of a workspace. First resolves the secrets that policies name, if available here, so
 * that they are redacted from every response. @throws UserError without a valid server URL, or without a usable token.
 */
export function connectionOf({ loaded, request, secrets, policies, ...run }: Checked | Context): ClientOptions {
  const references = policies.flatMap(({ entries }) => entries.flatMap(({ desired }) => referencesIn(desired.fields)));
  secrets.missing(references.filter(({ secret }) => !isTemplate(secret)));
  const rates = "state" in run ? { rates: run.state.rates } : undefined;
  const options = connection({ ...loaded.workspace, authorities: loaded.authorities }, request, rates);
  const onPause: ClientOptions["onPause"] = (sentence, pause) => {
    request.warn?.(sentence);
    if (pause && "meter" in run) run.meter.pause(pause.why, performance.now() + pause.milliseconds);
  };
  return { ...options, onPause, secrets };
}

export type ConnectionRequest = Pick<
  Request,
  "folder" | "env" | "concurrency" | "signal" | "connecting" | "patience" | "warn"
>;

/**
 * Client options for the server of the surrounding workspace, or the one in EVENKEEL_URL; reads no manifest. @throws
 * UserError as {@link connectionOf}, and for errors in `evenkeel.yaml`.
 */
export function connectionFrom(request: ConnectionRequest): ClientOptions {
  return connection(loadSettings(request.folder), request);
}

/**
 * Client options for a server without a workspace, or the one in EVENKEEL_URL. @throws UserError as {@link
 * connectionOf}.
 */
export function connectionTo(url: string, request: ConnectionRequest): ClientOptions {
  return connection({ ...defaultWorkspace, server: { ...defaultWorkspace.server, url } }, request);
}

function connection(
  { catalogue, server, requestTimeout, authorities, rateLimit, ...settings }: Workspace & Pick<Loaded, "authorities">,
  request: ConnectionRequest,
  kept?: Pick<RateOptions, "rates" | "close">,
): ClientOptions {
  const { env, signal, patience, connecting, warn, concurrency = settings.concurrency } = request;
  const url = chooseServerUrl(env, server);
  const { allowInsecure, dialect } = server;
  const network = readNetwork(url, env, authorities);
  const token = readToken(env);
  connecting?.();
  return {
    url,
    urlName: chooseUrlName(env),
    token,
    tokenName: tokenNameOf(env),
    renewToken: tokenRenewal(env),
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

export type NeededSecret = SecretReference & Pick<Change, "address" | "origin">;

export function neededBy(differences: readonly Difference[], catalogue: Catalogue): NeededSecret[] {
  return differences.flatMap(({ changes }) =>
    changes.flatMap((change) => {
      const { address, origin } = change;
      return secretsSentBy(change, catalogue).map((reference) => ({ ...reference, address, origin }));
    }),
  );
}

/**
 * Resolves the secrets of a run's projects, so that they are redacted. With a ledger, all are requested from their
 * providers at once, to compare them with those last sent; returns a warning for each that fails.
 */
export async function secretsToCompare(
  { secrets, ledger, request }: Context,
  references: readonly SecretReference[],
): Promise<Problem[]> {
  secrets.missing(references);
  const unknown = ledger ? await secrets.ask(references, request.signal) : [];
  if (unknown.length === 0) return [];
  const message = `secrets that providers did not give could not be compared: ${firstFew(unknown)}`;
  return [{ severity: "warning", rule: "secret-provider", message }];
}

/**
 * Resolves every secret before the first write (docs/manifests.md). Returns an error for each missing one, with a
 * change that needs it.
 */
export async function missingSecrets(
  references: readonly NeededSecret[],
  { secrets, request }: Context,
): Promise<Problem[]> {
  await secrets.ask(references, request.signal);
  return secrets.missing(references).map((missing) => {
    const message = `a secret is needed and cannot be resolved: ${missing}`;
    const first = references.find(({ secret }) => missing.startsWith(`${secret} (`));
    const needed = first && { place: first.origin.place(), path: first.address };
    return { severity: "error", rule: "missing-secret", message, ...needed };
  });
}
