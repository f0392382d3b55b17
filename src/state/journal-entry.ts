import type { Action, OutcomeStatus } from "../model/types.ts";

/** One line of a journal (docs/safety.md). Holds no secret: parameters are not written down at all. */
export type JournalEntry =
  | {
      readonly event: "start";
      readonly who: string;
      readonly pid: number;
      readonly commit: string | null;
      readonly manifests: string;
      readonly server: string;
      readonly changes: number;
      /** The trace of the run, where it was traced: 32 hexadecimal digits. */
      readonly trace?: string;
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
      /** Status of the HTTP answer, and the server's own name for the request. */
      readonly http?: number;
      readonly request_id?: string;
      readonly error?: string;
    }
  /** A wave begins or, with a reason, ended the run. */
  | {
      readonly event: "wave";
      readonly wave: number;
      readonly of: number;
      readonly projects: number;
      readonly reason?: string;
    }
  /** The server took on a storage migration, which then goes on by itself. */
  | { readonly event: "scheduled"; readonly address: string; readonly to: string; readonly http?: number }
  | { readonly event: "end"; readonly outcomes: Readonly<Record<string, number>> }
  /** A later run has named this one, which did not finish. */
  | { readonly event: "noticed" };

/** An entry with the time at which it was written, ISO 8601. */
export type JournalLine = JournalEntry & { readonly at: string };
