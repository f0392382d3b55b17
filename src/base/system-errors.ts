import { UserError } from "./exit.ts";

const words: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  EFTYPE: "it is not a regular file",
  EEXIST: "something else has that name",
  ELOOP: "its links form a loop",
  ENAMETOOLONG: "its name is too long",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  EDQUOT: "disk quota exceeded",
  EFBIG: "the file is too large",
  ERR_ENCODING_INVALID_ENCODED_DATA: "not UTF-8 text",
  EIO: "input/output error",
  EBADF: "it is not open",
  ENXIO: "no process reads from it",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  EADDRINUSE: "the port is already in use",
  EADDRNOTAVAIL: "not an address of this machine",
  ENOTFOUND: "host not found",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ETIMEDOUT: "no answer in time",
  EHOSTUNREACH: "host not reachable",
};

export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** Describes a system error without the system's message, which may contain paths. */
export function describeSystemError(error: unknown): string {
  const code = systemCode(error) ?? "unknown";
  return words[code] ?? `system error ${code}`;
}

/** Returns the result of `work`, whose system errors become sentences. @throws UserError. */
export function attempt<Result>(sentence: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`${sentence}: ${describeSystemError(error)}`);
  }
}

/** `127.0.0.1:8080` or `[::1]:8080`. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The error of a server that cannot listen. It is no usage error, because the same command may work later. */
export function cannotListen(host: string, port: number, error: unknown): UserError {
  return new UserError(`cannot listen on ${hostAndPort(host, port)}: ${describeSystemError(error)}`);
}
