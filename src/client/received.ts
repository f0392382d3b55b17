/** An answer, read to its end. Header names are in lower case. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Why there is no answer, or only part of one. */
export interface Broken {
  readonly broken: "network" | "timeout" | "cut" | "large" | "aborted";
  /** Whether the request went out: where it did, the server may have acted. */
  readonly sent: boolean;
  /** Code of the system or of undici, such as ECONNREFUSED. */
  readonly code: string;
  /** The same in words, where more is known than a code says; they complete "GET https://… ". */
  readonly words?: string | undefined;
}
