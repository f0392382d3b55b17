import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { pipelines } from "../../src/commands/init.ts";
import { read, root } from "../readme.ts";

const filesIn = (folder: string, ends: RegExp) =>
  readdirSync(`${root}/${folder}`, { recursive: true, encoding: "utf8" })
    .filter((file) => ends.test(file) && !file.includes("node_modules"))
    .map((file) => `${folder}/${file}`);

/** Whatever somebody may copy into a pipeline, a cluster or a shell. */
const files = [
  ...filesIn("examples", /\.(ya?ml|md)$/),
  ...filesIn("docs", /\.md$/),
  ...filesIn("templates", /\.yml$/),
  "action.yml",
  "README.md",
  "Dockerfile",
];

/** What each kind of reference has to look like, so that it means the same tomorrow. */
const pins: readonly (readonly [found: RegExp, pinned: RegExp])[] = [
  [/^[^#\n]*\buses: *(.+)$/gm, /^(\.\/\S+|\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/],
  [
    /^[ -]*(?:image|EVENKEEL_IMAGE): *["']?([^\s"']+)["']?/gm,
    /^(\$\w+|\$\[\[|[^:]+:v?\d+\.\d+\.\d+[\w.-]*|.+@sha256:[0-9a-f]{64})$/,
  ],
  [/\bservices: *\[([^\]]+)\]/g, /^[^:]+:v?\d+\.\d+\.\d+[\w.-]*$/],
  [/^FROM (?:--\S+ )?(\S+)/gm, /^([^:]+:v?\d+\.\d+\.\d+[\w.-]*|.+@sha256:[0-9a-f]{64})$/],
  [/\bruns-on: *(\S+)/g, /^(?!.*latest)/],
  [/\bnode-version: *["']?([\w.]+)/g, /^\d+\.\d+\.\d+$/],
  [/[\w/-]+(:latest)\b/g, /^$/],
];

function floating(text: string): string[] {
  return pins.flatMap(([found, pinned]) =>
    [...text.matchAll(found)]
      .filter(([, reference = ""]) => !pinned.test(reference.trim()))
      .map(([line]) => line.trim()),
  );
}

test.each(files)("%s names no floating tag", (file) => {
  expect(floating(read(file))).toEqual([]);
});

test.each(Object.values(pipelines))("the pipeline $file of init names no floating tag", ({ text }) => {
  expect(floating(text.replace(/uses: platform\/evenkeel@v\d+\.\d+\.\d+$/gm, ""))).toEqual([]);
});

test("pipelines name actions and images at all", () => {
  const all = files.map(read).join("\n");
  for (const [found] of pins.slice(0, -1)) expect([...all.matchAll(found)].length).toBeGreaterThan(0);
});
