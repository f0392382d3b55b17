import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "./languages.ts";

/** The names that a client has of integrations and their parameters. */
export interface ForeignNames {
  readonly version: string;
  readonly integrations: Readonly<
    Record<string, { readonly required?: readonly string[]; readonly optional: readonly string[] }>
  >;
}

const table = `
import json, gitlab
from gitlab.v4.objects.integrations import ProjectIntegrationManager
pairs = ProjectIntegrationManager._service_attrs.items()
print(json.dumps([gitlab.__version__, {slug: [list(names) for names in both] for slug, both in pairs}]))
`;

/** python-gitlab has a table of what each integration needs and takes. */
export function pythonNames(client: Client, root: string): ForeignNames {
  const env = { ...process.env, ...client.env?.(root) };
  const output = execFileSync("/usr/bin/python3", ["-c", table], { env, encoding: "utf8" });
  const [version, pairs] = JSON.parse(output) as [string, Record<string, [string[], string[]]>];
  const integrations = sorted(pairs, ([required, optional]) => ({
    required: required.toSorted(),
    optional: optional.toSorted(),
  }));
  return { version, integrations };
}

/** go-gitlab has a structure for what each integration takes: its fields' names on the wire stand in tags. */
export function goNames(root: string): ForeignNames {
  const source = readFileSync(join(root, "usr/share/gocode/src/github.com/xanzy/go-gitlab/services.go"), "utf8");
  const setters = source.matchAll(/^func \(s \*ServicesService\) Set\w+\(.*?opt \*(\w+).*?\{\n(.*?)^\}/gms);
  const found: Record<string, string[]> = {};
  for (const [, options = "", body = ""] of setters) {
    const slug = /services\/([\w-]+)"/.exec(body)?.[1];
    const fields = new RegExp(`^type ${options} struct \\{\\n(.*?)^\\}`, "ms").exec(source)?.[1] ?? "";
    if (slug) found[slug] = [...fields.matchAll(/json:"(\w+)/g)].map(([, name = ""]) => name).toSorted();
  }
  return { version: goVersion(root), integrations: sorted(found, (optional) => ({ optional })) };
}

/** Debian's, from the name of what it is documented in. */
function goVersion(root: string): string {
  const log = readdirSync(join(root, "usr/share/doc/golang-github-xanzy-go-gitlab-dev")).find((name) =>
    name.startsWith("changelog.Debian"),
  );
  if (!log) throw new Error("the package of go-gitlab says no version");
  const text = execFileSync("zcat", [join(root, "usr/share/doc/golang-github-xanzy-go-gitlab-dev", log)], {
    encoding: "utf8",
  });
  return /\((.*?)-\d+\)/.exec(text)?.[1] ?? "";
}

function sorted<From, To>(all: Readonly<Record<string, From>>, of: (one: From) => To): Record<string, To> {
  const entries = Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([slug, one]) => [slug, of(one)]));
}
