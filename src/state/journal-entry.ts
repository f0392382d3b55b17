import type { Action, OutcomeStatus } from "../model/types.ts";

/** One line of a journal (docs/safety.md). Contains no parameters, and therefore no secrets. */
export type JournalEntry =
  | {
      readonly event: "start";
      readonly who: string;
      readonly pid: number;
      readonly commit: string | null;
      readonly manifests: string;
      readonly server: string;
      readonly changes: number;
    }
  | {
      readonly event: "intent";
      readonly address: string;
      readonly action: Action;
      readonly method: string;
      readonly path: string;
    }
  | {
      readonly event: "result";
      readonly address: string;
      readonly status: OutcomeStatus;
      /** HTTP status, and the server's request ID. */
      readonly http?: number;
      readonly request_id?: string;
      readonly error?: string;
    }
  /** The start of a wave or, with a reason, why it ended the run. */
  | {
      readonly event: "wave";
      readonly wave: number;
      readonly of: number;
      readonly projects: number;
      readonly reason?: string;
    }
  /** The server accepted a storage move, which continues in the background. */
  | { readonly event: "scheduled"; readonly address: string; readonly to: string; readonly http?: number }
  /** The first request of a replacement deleted the resource, which another is to create. */
  | { readonly event: "deleted"; readonly address: string; readonly http?: number }
  | { readonly event: "end"; readonly outcomes: Readonly<Record<string, number>> }
  /** A later run has reported that this one did not finish. */
  | { readonly event: "noticed" };

/** An entry with its time, ISO 8601. */
export type JournalLine = JournalEntry & { readonly at: string };
