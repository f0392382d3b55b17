import { firstFew } from "../base/text-format.ts";
import type { ClientOptions } from "../client/client.ts";
import type { RateOptions } from "../client/limiter.ts";
import { networkFor } from "../client/network.ts";
import { urlNameOf, urlOf } from "../client/server-url.ts";
import { isTemplate } from "../manifest/template.ts";
import { defaultWorkspace } from "../manifest/workspace.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Origin, Problem, SecretReference } from "../model/types.ts";
import { referencesIn } from "../model/values.ts";
import type { Difference } from "../plan/diff/diff.ts";
import { secretsSentBy } from "../plan/requests.ts";
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

/** A secret that a change will send. */
export interface NeededSecret extends SecretReference {
  readonly address: string;
  readonly origin: Origin;
}

/** The secrets that the changes of these projects will send. */
export function neededBy(differences: readonly Difference[], catalogue: Catalogue): NeededSecret[] {
  return differences.flatMap(({ changes }) =>
    changes.flatMap((change) => {
      const { address, origin } = change;
      return secretsSentBy(change, catalogue).map((reference) => ({ ...reference, address, origin }));
    }),
  );
}

/**
 * Learns the secrets of a run's projects, which the server may repeat. With a ledger, what they are now is compared with
 * what was sent, so providers are asked for all of them at once; returned is a warning where they do not give one.
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

/** Every secret is resolved before the first write (docs/manifests.md); what is missing is named, with a change that needs it. */
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
