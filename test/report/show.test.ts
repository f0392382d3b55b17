import { expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { showText } from "../../src/report/show.ts";

test("show says when there is nothing", () => {
  const project = { name: "payments/api", path: "payments/api" };
  const nothing = { project, kinds: new Set<string>(), resources: [], exclusive: new Map() };
  expect(showText(nothing, catalogueOf())).toBe("# payments/api\n# no policy declares anything here\n");
});
