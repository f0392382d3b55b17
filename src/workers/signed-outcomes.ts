import type { Outcome } from "../model/types.ts";
import { sharedKeyWords, type WorkKey } from "./work-key.ts";

/** Outcomes of the writes of a run as the state keeps them: signed, so that nobody else decides what the run reports. */
export interface SignedOutcomes {
  readonly write: (address: string, outcome: Outcome) => string;
  /** Unknown, if neither the run nor a worker wrote it. */
  readonly read: (address: string, signed: string) => Outcome;
}

/** Signs outcomes for their run and address, with what runs and workers share. */
export function signedOutcomes(key: WorkKey, workspace: string, run: string): SignedOutcomes {
  const purpose = (address: string) => ["outcome", workspace, run, address] as const;
  return {
    write: (address, outcome) => key.sign(purpose(address), JSON.stringify(outcome)),
    read: (address, signed) => {
      const text = key.open(purpose(address), signed);
      return text === undefined ? forged : JSON.parse(text);
    },
  };
}

const forged: Outcome = {
  status: "unknown",
  error: `the state has an outcome of it that is not signed with this run's ${sharedKeyWords}`,
};
