import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const source = join(import.meta.dirname, "../src");

/** Files and folders by layer, as in src/README.md; what is not named here makes the first test fail. */
const layers: readonly (readonly string[])[] = [
  ["model.ts", "exit.ts", "system-trouble.ts", "version.ts", "parallel.ts", "journal-entry.ts"],
  [
    "address.ts",
    "catalogue.ts",
    "parameter-faults.ts",
    "availability.ts",
    "endpoints.ts",
    "kinds.ts",
    "repository-kinds.ts",
    "nearest.ts",
    "digest.ts",
    "schemas.ts",
    "schedule.ts",
    "call-values.ts",
    "route-columns.ts",
    "branch-kinds.ts",
  ],
  [
    "compare.ts",
    "memory.ts",
    "tendency.ts",
    "routes.ts",
    "audience.ts",
    "listeners.ts",
    "diff.ts",
    "guard.ts",
    "plan.ts",
    "outcomes.ts",
    "merge.ts",
    "manifest/",
    "import/",
    "deprecations/",
    "format/",
    "report/",
    "storage/rules.ts",
  ],
  [
    ...[
      "load.ts",
      "load/",
      "client/",
      "hint.ts",
      "live.ts",
      "holdings.ts",
      "survey.ts",
      "apply.ts",
      "saved-plan.ts",
      "deployments.ts",
      "storage/",
    ],
    ...["journal.ts", "ledger.ts", "ledger-key.ts", "lock.ts", "state-folder.ts", "commit.ts"],
  ],
  [
    "request.ts",
    "open.ts",
    "prepare.ts",
    "record.ts",
    "told.ts",
    "reconcile.ts",
    "adopt.ts",
    "site.ts",
    "migrate.ts",
    "deployment-record.ts",
  ],
  ["terminal.ts", "commands/"],
  ["cli.ts", "index.ts"],
];

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const textOf = (file: string) => readFileSync(join(source, file), "utf8");
const layerOf = (file: string) =>
  layers.findIndex((names) => names.some((name) => (name.endsWith("/") ? file.startsWith(name) : file === name)));

function importsOf(file: string): string[] {
  const specifiers = [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+\.ts)"/g)].map(
    ([, path]) => path ?? "",
  );
  return specifiers.map((path) => relative(source, join(source, dirname(file), path)));
}

describe("the layers of src/README.md", () => {
  test("every file has its place", () => {
    const lost = files.filter((file) => layerOf(file) < 0 && !file.startsWith("server/"));
    expect(lost).toEqual([]);
  });

  test("imports point down, or sideways", () => {
    const upward = files
      .filter((file) => !file.startsWith("server/"))
      .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
      .filter(([file, imported]) => !imported.startsWith("server/") && layerOf(imported) > layerOf(file));
    expect(upward).toEqual([]);
  });

  test("the embedded server knows nothing of the core that it is used to test", () => {
    const foreign = files
      .filter((file) => file.startsWith("server/"))
      .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
      .filter(([, imported]) => !imported.startsWith("server/") && layerOf(imported) > 1);
    expect(foreign).toEqual([]);
  });

  test("the core touches no file, network, clock, environment or chance", () => {
    const effects =
      /from "(node:(?!crypto")|undici|write-file-atomic)|\bDate\.now|new Date\(\)|Math\.random|\bprocess\.|\bfetch\(/;
    const impure = files.filter((file) => layerOf(file) >= 0 && layerOf(file) <= 2 && effects.test(textOf(file)));
    expect(impure).toEqual([]);
  });

  test("no slug and no parameter stands in code", () => {
    const { properties } = JSON.parse(readFileSync(join(source, "../schemas/integrations.schema.json"), "utf8"));
    const slugs = Object.keys(properties);
    const named = files.flatMap((file) =>
      slugs.filter((slug) => textOf(file).includes(`"${slug}"`)).map((slug) => [file, slug]),
    );
    expect(named).toEqual([]);
  });
});
