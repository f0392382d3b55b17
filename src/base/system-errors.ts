const words: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "no such file",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  EADDRINUSE: "the port is taken",
  EADDRNOTAVAIL: "the address is not this machine's",
  ENOTFOUND: "the host name is not known",
};

/** Why the system would not read, write or listen, in words; nothing of what it says itself, which may hold paths. */
export function systemTrouble(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  return words[code] ?? `the system said ${code}`;
}
