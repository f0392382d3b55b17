import { expect, test } from "vitest";
import { stage } from "../support/stage.ts";

const company = {
  projects: ["**"],
  labels: { bug: { color: "#ff0000" } },
  settings: { visibility: "private" },
  disabled: ["irc-gateway"],
  variables: { KEY: { value: { secret: "env:KEY" } } },
};

/** A workspace without a server: prune is offline. */
async function workspace() {
  return stage({
    policies: {
      company,
      equal: { ...company, projects: ["pay/api"] },
      web: { projects: ["web/*"], labels: { bug: { color: "#ff0000" } }, disabled: ["irc-gateway", "external-wiki"] },
      own: { projects: ["web/shop"], settings: { visibility: "public" }, labels: { bug: { color: "#00ff00" } } },
    },
  });
}

test("prune removes what a wider policy declares as well, and what has nothing left", async () => {
  const place = await workspace();
  const checked = await place.evenkeel("prune", "--check");
  expect([checked.code, checked.stderr]).toEqual([
    1,
    expect.stringContaining("Could go: 6 entries, 1 policy and 1 file"),
  ]);
  const pruned = await place.evenkeel("prune");
  expect(pruned.code).toBe(0);
  expect(pruned.stdout).toContain("equal.yaml:5  equal: label/bug");
  expect("equal.yaml" in place.files()).toBe(false);
  expect(place.read("web.yaml")).not.toContain("labels");
  expect(place.read("web.yaml")).toContain('disabled: ["external-wiki"]');
  expect(place.read("own.yaml")).toContain("labels");
  expect((await place.evenkeel("prune", "--check")).code).toBe(0);
});

test("with --yield, entries that differ go too, once a person confirms what changes", async () => {
  const place = await workspace();
  const asked = await place.evenkeel("prune", "company", "--yield");
  expect([asked.code, "own.yaml" in place.files()]).toEqual([1, true]);
  expect(asked.stdout).toContain("web/shop: label/bug");
  const removed = await place.evenkeel("prune", "company", "--yield", "--yes");
  expect([removed.code, "own.yaml" in place.files()]).toEqual([0, false]);
  expect((await place.evenkeel("prune", "--yield")).code).toBe(64);
});
