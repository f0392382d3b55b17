import type { Deprecation, Detection, Hint } from "../model/deprecations.ts";
import type { Edit } from "./text.ts";

export interface Source {
  /** As shown in findings, with forward slashes. */
  readonly file: string;
  /** Without a byte order mark. */
  readonly text: string;
  /** The release to check for. */
  readonly release: string;
}

/** A use at an offset, with edits where the replacement is mechanical. */
export interface Use {
  readonly offset: number;
  readonly edits?: readonly Edit[];
  /** Uncertain: reported as a hint and never rewritten. */
  readonly isLikely?: boolean;
  /** The first release on which the rewritten file works; overrides that of the detection. */
  readonly since?: string;
  /** Appended to the message of the entry. */
  readonly note?: string;
  /** Replaces the message of the entry. */
  readonly message?: string;
}

/** A detection and the entry that it belongs to. */
export interface DetectionOf<Kind extends Detection = Detection> {
  readonly entry: Deprecation | Hint;
  readonly detection: Kind;
}

/** A mechanical replacement, or none. */
export function rewriting(start: number, end: number, text: string | undefined): Pick<Use, "edits"> {
  return text === undefined ? {} : { edits: [{ start, end, text }] };
}
