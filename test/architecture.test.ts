import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const source = join(import.meta.dirname, "../src");

/** The layers of src/README.md, top to bottom; a folder imports only itself and folders below it. */
const layers = {
  interface: ["commands", "console", "watch", "report"],
  operations: ["author", "run"],
  outside: ["client", "state", "workspace", "secrets", "git"],
  core: ["plan", "scan", "manifest"],
  foundation: ["model", "base"],
} as const;
const folders: readonly string[] = Object.values(layers).flat();
const pure: readonly string[] = [...layers.core, ...layers.foundation];

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => /(?<!\.d)\.ts$/.test(name));
const texts = new Map(files.map((file) => [file, readFileSync(join(source, file), "utf8")]));
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const arrows = [...imports].flatMap(([from, all]) => all.map((to) => ({ from, to })));

function importsOf(file: string): string[] {
  const specifiers = (texts.get(file) ?? "").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+\.ts)"/g);
  return [...specifiers].map(([, path = ""]) => relative(source, join(source, dirname(file), path)));
}

const folderOf = (file: string) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : "");
const filesOf = (names: readonly string[]) => files.filter((file) => names.includes(folderOf(file)));

describe("architecture (src/README.md)", () => {
  test("only the map and the two entry points are at the root, and every folder has a layer", () => {
    const root = readdirSync(source, { withFileTypes: true });
    expect(root.filter((each) => each.isFile()).map(({ name }) => name)).toEqual(["README.md", "cli.ts", "index.ts"]);
    const found = root.filter((each) => each.isDirectory()).map(({ name }) => name);
    expect(found.toSorted()).toEqual([...folders, "server"].toSorted());
  });

  test("a folder imports only itself and folders below it", () => {
    const upward = arrows.filter(({ from, to }) => {
      const [here, there] = [folderOf(from), folderOf(to)];
      if (here === there || here === "" || here === "server" || there === "server") return false;
      return there === "" || folders.indexOf(there) < folders.indexOf(here);
    });
    expect(upward).toEqual([]);
  });

  test("the embedded server imports nothing of the core that it is used to test", () => {
    const allowed = ["server", ...layers.foundation];
    expect(arrows.filter(({ from, to }) => folderOf(from) === "server" && !allowed.includes(folderOf(to)))).toEqual([]);
    const users = arrows.filter(({ from, to }) => folderOf(from) !== "server" && folderOf(to) === "server");
    expect(
      users.map(({ from }) => from).filter((from) => from !== "index.ts" && folderOf(from) !== "commands"),
    ).toEqual([]);
  });

  test("no import cycles, types included", () => {
    expect(importCycles()).toEqual([]);
  });

  test("core and foundation use no file, network, clock, environment or randomness", () => {
    const effects =
      /from "(node:(?!(?:crypto|module)")|undici|write-file-atomic)|\bDate\.now|new Date\(\)|Math\.random|\bprocess\.|\bfetch\(|\bperformance\./;
    expect(filesOf(pure).filter((file) => effects.test(texts.get(file) ?? ""))).toEqual([]);
  });

  test("no exported name has two meanings", () => {
    const definedIn = new Map<string, string[]>();
    for (const [file, text] of texts) {
      const names = text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm);
      for (const [, name = ""] of names) definedIn.set(name, [...(definedIn.get(name) ?? []), file]);
    }
    const isCommand = (file: string) => folderOf(file) === "commands";
    const twice = [...definedIn].filter(([name, all]) => all.length > 1 && !(name === "run" && all.every(isCommand)));
    expect(Object.fromEntries(twice)).toEqual({});
  });

  test("no slug in code", () => {
    const schema = JSON.parse(readFileSync(join(source, "../schemas/integrations.schema.json"), "utf8"));
    const slugs = Object.keys(schema.properties);
    const named = [...texts].flatMap(([file, text]) =>
      slugs.filter((slug) => quoted(text, slug)).map((slug) => [file, slug]),
    );
    expect(named).toEqual([]);
  });
});

function quoted(text: string, word: string): boolean {
  return text.includes(`"${word}"`) || text.includes(`\`${word}\``);
}

/** Each import cycle once, as its files in order. */
function importCycles(): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) found.push([...path.slice(start), file]);
    if (start >= 0 || done.has(file)) return;
    for (const next of imports.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  return found;
}
