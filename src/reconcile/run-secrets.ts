import { firstFew } from "../base/text-format.ts";
import type { Difference } from "../diff/diff.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Problem, SecretReference } from "../model/types.ts";
import { secretsSentBy } from "../plan/requests.ts";
import type { Context } from "./context.ts";

/** The secrets that the changes of these projects will send. */
export function neededBy(differences: readonly Difference[], catalogue: Catalogue): SecretReference[] {
  return differences.flatMap(({ changes }) => changes.flatMap((change) => secretsSentBy(change, catalogue)));
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

/** Every secret is resolved before the first write (docs/manifests.md); what is missing is named. */
export async function missingSecrets(
  references: readonly SecretReference[],
  { secrets, request }: Context,
): Promise<Problem[]> {
  await secrets.ask(references, request.signal);
  return secrets.missing(references).map((missing) => ({
    severity: "error",
    rule: "missing-secret",
    message: `a secret is needed and cannot be resolved: ${missing}`,
  }));
}
