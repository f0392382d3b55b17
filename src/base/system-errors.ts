const words: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  ENOTDIR: "a part of its path is no folder",
  EISDIR: "it is a folder",
  EFTYPE: "it is no regular file",
  EEXIST: "something else is in its place",
  ELOOP: "its links lead round in a circle",
  ENAMETOOLONG: "its name is too long",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  EDQUOT: "no space is left in the quota",
  EFBIG: "the file may not grow this large",
  ERR_ENCODING_INVALID_ENCODED_DATA: "not UTF-8 text",
  EIO: "the device failed",
  EBADF: "it is not open",
  ENXIO: "nothing reads from it",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EADDRINUSE: "the port is taken",
  EADDRNOTAVAIL: "the address is not this machine's",
  ENOTFOUND: "the host name is not known",
};

/** The system's own name for what went wrong, such as `ENOENT`; undefined for an error that is not the system's. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** Why the system would not read, write or listen, in words; nothing of what it says itself, which may hold paths. */
export function systemTrouble(error: unknown): string {
  const code = systemCode(error) ?? "unknown";
  return words[code] ?? `the system said ${code}`;
}
