import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rootCertificates } from "node:tls";
import { describe, expect, test } from "vitest";
import { compareRevisions } from "../../src/plan/revision/revision.ts";
import { openRevisions } from "../../src/run/revisions.ts";
import { touchesWorkspace } from "../../src/watch/checkout.ts";
import { repository } from "../revision/repository.ts";
import { tempFolder } from "../support/folder.ts";

const settings = (manifests: readonly string[] | undefined) =>
  `apiVersion: evenkeel/v1\nkind: Workspace\nserver: { url: https://a, ca: certs/ca.pem }\n${manifests ? `manifests: ${JSON.stringify(manifests)}\n` : ""}`;
const policy = (rule: string) =>
  `apiVersion: evenkeel/v1\nkind: Policy\nname: p\nprojects: [team/a]\nlicenses: { MIT: ${rule} }\n`;

/** A text is a file, `-> PLACE` a link, undefined removes. */
type Files = Readonly<Record<string, string | undefined>>;

function write(root: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name);
    rmSync(path, { force: true, recursive: lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false });
    mkdirSync(dirname(path), { recursive: true });
    if (text?.startsWith("-> ")) symlinkSync(text.slice(3).replace("TOP", root), path);
    else if (text !== undefined) writeFileSync(path, text);
  }
}

interface Variant {
  readonly before: Files;
  readonly change: Files;
  readonly manifests?: readonly string[];
  /** Where the program is told to look. */
  readonly at?: string;
}

const [allowed, denied] = [policy("allowed"), policy("denied")];
const variants: Readonly<Record<string, Variant>> = {
  "a file behind a linked folder": {
    before: { "ws/other/x/p.yaml": allowed, "ws/policies": "-> other/x" },
    change: { "ws/other/x/p.yaml": denied },
  },
  "a new file behind a linked folder": {
    before: { "ws/other/x/README": "", "ws/policies": "-> other/x" },
    change: { "ws/other/x/p.yaml": denied },
  },
  "a link that is turned elsewhere": {
    before: { "ws/other/x/p.yaml": allowed, "ws/other/y/p.yaml": denied, "ws/policies": "-> other/x" },
    change: { "ws/policies": "-> other/y" },
  },
  "a link that takes the place of a folder": {
    before: { "ws/policies/p.yaml": allowed, "ws/other/y/p.yaml": denied },
    change: { "ws/policies": "-> other/y" },
  },
  "a link that leads around outside of the workspace": {
    before: {
      "ws/other/x/p.yaml": allowed,
      "ws/other/y/p.yaml": denied,
      hop: "-> ws/other/x",
      "ws/policies": "-> ../hop",
    },
    change: { hop: "-> ws/other/y" },
  },
  "an absolute link": {
    before: { "ws/other/x/p.yaml": allowed, "ws/policies": "-> TOP/ws/other/x" },
    change: { "ws/other/x/p.yaml": denied },
  },
  "a linked file": {
    before: { "ws/data/p.txt": allowed, "ws/policies/p.yaml": "-> ../data/p.txt" },
    change: { "ws/data/p.txt": denied },
  },
  "a linked file without patterns, in a dot folder": {
    before: { "ws/.kept/p.yaml": allowed, "ws/p.yaml": "-> .kept/p.yaml" },
    change: { "ws/.kept/p.yaml": denied },
    manifests: [],
  },
  "a linked file that is turned elsewhere": {
    before: { "ws/data/p.txt": allowed, "ws/data/q.txt": denied, "ws/policies/p.yaml": "-> ../data/p.txt" },
    change: { "ws/policies/p.yaml": "-> ../data/q.txt" },
  },
  "evenkeel.yaml behind a link": {
    before: {
      "ws/evenkeel.yaml": "-> conf/prod.yaml.txt",
      "ws/conf/prod.yaml.txt": settings(["a/*.yaml"]),
      "ws/a/p.yaml": allowed,
      "ws/b/p.yaml": denied,
    },
    change: { "ws/conf/prod.yaml.txt": settings(["b/*.yaml"]) },
  },
  "a file of a workspace behind a link": {
    before: { "ws/policies/p.yaml": allowed, live: "-> ws" },
    change: { "ws/policies/p.yaml": denied },
    at: "live",
  },
};

function committed({ before, change, manifests = ["policies/*.yaml"], at = "ws" }: Variant) {
  const top = tempFolder();
  const { commit } = repository(top);
  const whole = manifests.length > 0 ? manifests : undefined;
  write(top, {
    "ws/evenkeel.yaml": settings(whole),
    "ws/certs/ca.pem": rootCertificates[0],
    "README.md": "",
    ...before,
  });
  const from = commit();
  return { top, folder: join(top, at), from, commit, change };
}

describe.each(Object.entries(variants))("%s", (_, variant) => {
  test("is noticed by --follow, diff and --since", async () => {
    const { top, folder, from, commit, change } = committed(variant);
    write(top, change);
    const to = commit();
    expect(touchesWorkspace(folder, from, to)).toBe(true);
    for (const later of [to, undefined]) {
      const { before, after } = await openRevisions({ folder, from, to: later });
      const { changes } = compareRevisions(before.side, after.side, undefined);
      expect(changes.map(({ address, after: is }) => [address, is])).toEqual([
        ["team/a:license/MIT", { approval_status: "denied" }],
      ]);
    }
  });

  test("and a file beside it is none of the workspace", () => {
    const { top, folder, from, commit } = committed(variant);
    write(top, { "README.md": "more", "docs/p.yaml": "other: 1\n" });
    expect(touchesWorkspace(folder, from, commit())).toBe(false);
  });
});

describe("what evenkeel.yaml names", () => {
  const variant = (ca: string) => ({
    before: {
      "ws/evenkeel.yaml": settings(undefined).replace("certs/ca.pem", ca),
      "ca.pem": rootCertificates[0],
      "ws/p.yaml": allowed,
    },
    change: {},
  });
  test.each([
    ["certs/ca.pem", "ws/certs/ca.pem"],
    ["./certs/../certs/ca.pem", "ws/certs/ca.pem"],
    ["../ca.pem", "ca.pem"],
  ])("%s is noticed when it changes", async (ca, file) => {
    const { top, folder, from, commit } = committed(variant(ca));
    write(top, { [file]: rootCertificates[1] });
    expect(touchesWorkspace(folder, from, commit())).toBe(true);
  });
});
