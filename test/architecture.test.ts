import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const source = join(import.meta.dirname, "../src");

/** The floors of src/README.md, top to bottom; a folder imports what stands below it, or its own. */
const floors = {
  face: ["commands", "console", "report"],
  run: ["watch", "accept", "reconcile", "workers", "deployments", "storage", "import", "apply"],
  world: ["live", "client", "state", "workspace", "secrets", "git"],
  core: ["revision", "plan", "diff", "routes", "scan", "format", "manifest"],
  ground: ["model", "base"],
} as const;
const folders: readonly string[] = Object.values(floors).flat();
const pure: readonly string[] = [...floors.core, ...floors.ground];

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => /(?<!\.d)\.ts$/.test(name));
const texts = new Map(files.map((file) => [file, readFileSync(join(source, file), "utf8")]));
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const arrows = [...imports].flatMap(([from, all]) => all.map((to) => ({ from, to })));

/** A row names the file that runs the command, and that file takes the types of its options from the row. */
const table = "commands/table.ts";
const atLoad = /(?:from|import)\s*"(\.[^"]+\.ts)"/g;

function importsOf(file: string, pattern = /(?:from|import)\s*\(?\s*"(\.[^"]+\.ts)"/g): string[] {
  const specifiers = (texts.get(file) ?? "").matchAll(pattern);
  return [...specifiers].map(([, path = ""]) => relative(source, join(source, dirname(file), path)));
}

const folderOf = (file: string) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : "");
const filesOf = (names: readonly string[]) => files.filter((file) => names.includes(folderOf(file)));

describe("the house (src/README.md)", () => {
  test("the map and two front doors stand at the root, and every folder has its floor", () => {
    const root = readdirSync(source, { withFileTypes: true });
    expect(root.filter((each) => each.isFile()).map(({ name }) => name)).toEqual(["README.md", "cli.ts", "index.ts"]);
    const rooms = root.filter((each) => each.isDirectory()).map(({ name }) => name);
    expect(rooms.toSorted()).toEqual([...folders, "server"].toSorted());
  });

  test("a folder imports only what stands below it", () => {
    const upward = arrows.filter(({ from, to }) => {
      const [here, there] = [folderOf(from), folderOf(to)];
      if (here === there || here === "" || here === "server" || there === "server") return false;
      return there === "" || folders.indexOf(there) < folders.indexOf(here);
    });
    expect(upward).toEqual([]);
  });

  test("the embedded server knows nothing of the core that it is used to test", () => {
    const allowed = ["server", ...floors.ground];
    expect(arrows.filter(({ from, to }) => folderOf(from) === "server" && !allowed.includes(folderOf(to)))).toEqual([]);
    const users = arrows.filter(({ from, to }) => folderOf(from) !== "server" && folderOf(to) === "server");
    expect(
      users.map(({ from }) => from).filter((from) => from !== "index.ts" && folderOf(from) !== "commands"),
    ).toEqual([]);
  });

  test("no circle of files, types included, but for what the table of commands loads on demand", () => {
    expect(circles()).toEqual([]);
  });

  test("core and ground touch no file, network, clock, environment or chance", () => {
    const effects =
      /from "(node:(?!crypto")|undici|write-file-atomic)|\bDate\.now|new Date\(\)|Math\.random|\bprocess\.|\bfetch\(|\bperformance\./;
    expect(filesOf(pure).filter((file) => effects.test(texts.get(file) ?? ""))).toEqual([]);
  });

  test("no exported name stands for two things", () => {
    const homes = new Map<string, string[]>();
    for (const [file, text] of texts) {
      const names = text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm);
      for (const [, name = ""] of names) homes.set(name, [...(homes.get(name) ?? []), file]);
    }
    const isCommand = (home: string) => folderOf(home) === "commands";
    const twice = [...homes].filter(([name, all]) => all.length > 1 && !(name === "run" && all.every(isCommand)));
    expect(Object.fromEntries(twice)).toEqual({});
  });

  test("no slug and no parameter stands in code", () => {
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

/** Each circle once, as the files that one walks through. */
function circles(): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) found.push([...path.slice(start), file]);
    if (start >= 0 || done.has(file)) return;
    for (const next of file === table ? importsOf(file, atLoad) : (imports.get(file) ?? []))
      walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  return found;
}
