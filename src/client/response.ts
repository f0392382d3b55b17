/** Headers of a response by their names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A response, read to its end. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Why there is no response, or only a part of one. */
export interface Broken {
  readonly broken: "network" | "timeout" | "cut" | "large" | "aborted";
  /** Whether the request went out: if it did, the server may have acted. */
  readonly sent: boolean;
  /** Code of the system or of undici, such as ECONNREFUSED. */
  readonly code: string;
  /** Explains the code where more is known; completes "GET https://… ". */
  readonly words?: string | undefined;
}
