import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempFolder } from "./support/folder.ts";
import { runProcess } from "./support/processes.ts";

export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** A `$ ` line of a ```console block, the exit code that the text promises, and the output that it shows. */
export interface Command {
  readonly line: string;
  readonly exit: number;
  readonly shown: readonly string[];
}

/** Blocks of a language, such as yaml, in their order. */
export function blocks(markdown: string, language: string): readonly string[] {
  const fence = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...markdown.matchAll(fence)].map(([, text = ""]) => text);
}

/** Every command of every console block. `# (exit 2)` behind one promises that code; otherwise it is 0. */
export function commands(markdown: string): readonly Command[] {
  return blocks(markdown, "console").flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [line = "", ...shown] = text.trimEnd().split("\n");
        return { line, exit: Number(/# \(exit (\d+)\)/.exec(line)?.[1] ?? 0), shown };
      }),
  );
}

export interface Ran {
  readonly line: string;
  readonly exit: number;
  /** stdout and stderr together. */
  readonly output: string;
}

/**
 * A copy of the examples, as they lie in a clone, where `evenkeel` is the built program and the library can be
 * imported; port 8080 of their workspaces becomes `port`.
 */
export function cloned(port: number): string {
  const folder = tempFolder();
  const left = /[\\/]\.evenkeel$/;
  cpSync(join(root, "examples"), join(folder, "examples"), { recursive: true, filter: (path) => !left.test(path) });
  for (const name of readdirSync(join(folder, "examples"))) {
    const file = join(folder, "examples", name, "evenkeel.yaml");
    if (existsSync(file)) writeFileSync(file, readFileSync(file, "utf8").replace(":8080", `:${port}`));
  }
  for (const name of ["dist", "schemas"]) symlinkSync(join(root, name), join(folder, name));
  for (const name of ["bin", "node_modules"]) mkdirSync(join(folder, name));
  symlinkSync(root, join(folder, "node_modules", "evenkeel"));
  const program = join(folder, "bin", "evenkeel");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/cli.js")}" "$@"\n`);
  chmodSync(program, 0o755);
  return folder;
}

const mark = "@@evenkeel";

/** Runs command lines one after the other in one shell, as a person would type them; port 8080 becomes `port`. */
export async function session(
  clone: string,
  folder: string,
  lines: readonly string[],
  port: number,
): Promise<readonly Ran[]> {
  const script = lines.map((line) => scriptOf(line.replaceAll("8080", String(port)), port)).join("\n");
  const { EVENKEEL_TOKEN: _, EVENKEEL_URL: __, FORCE_COLOR: ___, ...env } = process.env;
  const path = [join(clone, "bin"), env.PATH].join(delimiter);
  const output = await shell(`${script}\nkill $(jobs -p) 2> /dev/null\n`, folder, { ...env, PATH: path });
  const parts = output.split(new RegExp(`^${mark} (\\d+)\n`, "m"));
  return lines.map((line, index) => ({
    line,
    exit: Number(parts[index * 2 + 1] ?? Number.NaN),
    output: parts[index * 2] ?? "",
  }));
}

/** A server in the background is waited for, as a person would see it listening. */
function scriptOf(line: string, port: number): string {
  const ready = / &$/.test(line)
    ? `for _ in {1..2000}; do (exec 3<> /dev/tcp/127.0.0.1/${port}) 2> /dev/null && break; sleep 0.05; done`
    : "";
  return `${line}\ncode=$?\n${ready}\nprintf '\\n${mark} %d\\n' $code`;
}

async function shell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const args = ["-O", "expand_aliases", "-c", `exec 2>&1\neval "$SCRIPT"`];
  return (await runProcess("bash", args, { cwd, env: { ...env, SCRIPT: script } }).ended).stdout;
}

export function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

export function sources(): readonly { readonly file: string; readonly text: string }[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({ file: `src/${name}`, text: read(`src/${name}`) }));
}

/** Lines that a README shows and the program did not print; `…` stands for any lines, and what varies is not compared. */
export function notPrinted(shown: readonly string[], output: string): readonly string[] {
  const printed = steady(output);
  let from = 0;
  for (const chunk of shown.join("\n").split(/^\s*…$/m)) {
    const expected = steady(chunk).trim();
    const at = printed.indexOf(expected, from);
    if (at < 0) return expected.split("\n");
    from = at + expected.length;
  }
  return [];
}

/** Without what differs from run to run: times, run names, ports, people, commits. */
function steady(text: string): string {
  return text
    .replace(/\d{8}T\d{6}Z-[0-9a-f]{4}/g, "RUN")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/\b\d+\.\d s\b/g, "SECONDS")
    .replace(/127\.0\.0\.1:\d+/g, "HOST")
    .replace(/\S+@\S+, (\d+) changes?/g, "WHO, $1 changes")
    .replace(/\S+@\S+ {2}(plan|apply|drift|watch)/g, "WHO  $1");
}
