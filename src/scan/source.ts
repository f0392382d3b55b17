import type { Deprecation, Detection, Hint } from "../model/deprecations.ts";
import type { Edit } from "./text.ts";

/** A file as it was read. */
export interface Source {
  /** As findings name it, with forward slashes. */
  readonly file: string;
  /** Without a byte order mark. */
  readonly text: string;
  /** The release that uses are held against. */
  readonly release: string;
}

/** A use at an offset, and how it is rewritten where that is mechanical. */
export interface Use {
  readonly offset: number;
  readonly edits?: readonly Edit[];
  /** Likely, not certain: reported as a hint and never rewritten. */
  readonly isLikely?: boolean;
  /** The release from which on the rewritten file works, where it is not that of the detection. */
  readonly since?: string;
  /** A clause behind the entry's own. */
  readonly note?: string;
  /** A sentence in place of the entry's own. */
  readonly message?: string;
}

/** A detection and the entry that it belongs to. */
export interface DetectionOf<Kind extends Detection = Detection> {
  readonly entry: Deprecation | Hint;
  readonly detection: Kind;
}

/** The edit of a mechanical replacement, or none. */
export function rewriting(start: number, end: number, text: string | undefined): Pick<Use, "edits"> {
  return text === undefined ? {} : { edits: [{ start, end, text }] };
}
