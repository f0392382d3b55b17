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

test("with --yield, what wildcards may change is confirmed too, though no project is known", async () => {
  const label = (color: string) => ({ labels: { bug: { color } } });
  const place = await stage({
    policies: { company: { projects: ["**"], ...label("#ff0000") }, web: { projects: ["web/*"], ...label("#00ff00") } },
  });
  const asked = await place.evenkeel("prune", "company", "--yield");
  expect([asked.code, "web.yaml" in place.files()]).toEqual([1, true]);
  expect(asked.stdout).toContain("The projects of wildcards are not known here");
  const removed = await place.evenkeel("prune", "company", "--yield", "--yes");
  expect(removed.stderr).toContain(
    "Removed 1 entry, 1 policy and 1 file; no desired state changes, of those that are known.",
  );
});

test("what has to be removed by hand is not counted as removed", async () => {
  const place = await workspace();
  const file =
    'apiVersion: evenkeel/v1\nkind: Policy\nname: alias\nprojects: [pay/b]\nlabels:\n  bug: &b { color: "#ff0000" }\n  two: *b\n';
  place.write("alias.yaml", file);
  const pruned = await place.evenkeel("prune");
  expect(pruned.code).toBe(1);
  expect(pruned.stderr).toContain("Removed 6 entries");
  expect(pruned.stdout.match(/alias: label\/bug/g)).toHaveLength(1);
  expect(place.read("alias.yaml")).toBe(file);
});
