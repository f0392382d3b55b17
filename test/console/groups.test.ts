import { expect, test } from "vitest";
import { consoleOver, seen, seenBy } from "./serving.ts";

test("a project's page says what it inherits, and a group has a page of its own", async () => {
  const project = { ...seen("payments/api"), inherited: ["integration/external-wiki"] };
  const { root } = await seenBy([project, seen("payments/"), seen("payments/services/")]);
  const { get } = await consoleOver(root);
  const page = await (await get("/projects/payments/api")).text();
  expect(page).toContain("in sync, inherited from the group");
  expect(page.split("inherited from the group")).toHaveLength(2);
  const document = JSON.parse(await (await get("/projects/payments/api.json")).text());
  expect(JSON.stringify(document)).toContain('"inherited":["integration/external-wiki"]');
  for (const path of ["/projects/payments/", "/projects/payments%2F", "/projects/payments/services%2F"]) {
    const answer = await get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(await answer.text()).toContain(decodeURIComponent(path).replace("/projects/", ""));
  }
});
