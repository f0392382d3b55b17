import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { packagedServer, systemServer } from "./database.mjs";

/** What some tests need and not every machine has: their titles end with `(needs zsh)`. All are Debian's packages too. */
const programs = {
  postgresql: (await packagedServer()) ?? systemServer(),
  redis: ["redis-server", "valkey-server"].find((name) => spawnSync(name, ["--version"]).status === 0),
  chromium: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync),
  curl: spawnSync("curl", ["--version"]).status === 0 ? "curl" : undefined,
  bash: shell("bash"),
  zsh: shell("zsh"),
  fish: shell("fish"),
};

export type Needed = keyof typeof programs;

export function installed(name: Needed): string | undefined {
  return programs[name];
}

export function lacks(name: Needed): boolean {
  return installed(name) === undefined;
}

/** What tests were left out for, and how to have them run. */
export function skippedLines(titles: readonly string[]): readonly string[] {
  const names = titles.map((title) => / \(needs (\w+)\)/.exec(title)?.[1] ?? "");
  return [...new Set(names)].map((name) => {
    const count = names.filter((each) => each === name).length;
    return `skipped: ${count} of the tests${name && ` that need ${name}: apt-get install ${name}`}`;
  });
}

function shell(name: string): string | undefined {
  return spawnSync(name, ["-c", "true"]).status === 0 ? name : undefined;
}
