import { firstFew } from "../base/text-format.ts";
import type { Difference } from "../diff/diff.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Origin, Problem, SecretReference } from "../model/types.ts";
import { secretsSentBy } from "../plan/requests.ts";
import type { Context } from "./context.ts";

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
