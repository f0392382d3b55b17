import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inject } from "vitest";

/** An empty folder, which is gone after the run: all of them lie in one that `test/build.ts` removes. */
export function tempFolder(): string {
  return realpathSync(mkdtempSync(join(inject("scratch"), "evenkeel-")));
}

export interface Folder {
  readonly root: string;
  readonly write: (path: string, text: string | Uint8Array) => void;
  readonly read: (path: string) => string;
  /** Every file below it, by path. */
  readonly files: () => Readonly<Record<string, string>>;
}

export function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): Folder {
  const root = tempFolder();
  const write = (path: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const names = () =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { root, write, read, files: () => Object.fromEntries(names().map((name) => [name, read(name)])) };
}
