import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { read, root, sources } from "../readme.ts";

/** A heading as the forges link to it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

test("pages that comments name are there, with the section that they name", () => {
  const broken = sources().flatMap(({ file, text }) =>
    [...text.matchAll(/\((docs\/[\w/-]+\.md|README\.md)(?:#([\w-]+))?/g)]
      .filter(([, page = "", anchor]) => {
        if (!existsSync(join(root, page))) return true;
        const headings = [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
        return anchor !== undefined && !headings.includes(anchor);
      })
      .map(([link]) => `${file}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("comments name nothing that is not in the repository", () => {
  const named = sources().filter(({ text }) => /^\s*(\*|\/\/|\/\*\*).*\((contract|spec:) /m.test(text));
  expect(named.map(({ file }) => file)).toEqual([]);
});
