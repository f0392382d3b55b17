import { expect, test } from "vitest";
import type { Draft } from "../../src/author/import/policy.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { importJson, importText } from "../../src/report/import.ts";
import { plain } from "../../src/report/terminal.ts";

const noted = (name: string, remark: string): Draft => ({
  name,
  file: `${name}.yaml`,
  projects: [name],
  except: [],
  heading: [],
  entries: [{ kind: "integration", key: "irc-gateway", fields: new Map(), remarks: [remark] }],
  remarks: [],
});

function report(names: readonly string[], remark = "not reported, may be set: channel") {
  const written = names.map((name) => [`policies/${name}.yaml`, noted(name, remark)] as const);
  return { written, idle: [], problems: [], catalogue: catalogueOf() };
}

test("a remark on more than three projects is one line, and scripts get each", () => {
  const many = report(["a/1", "a/2", "a/3", "a/4", "a/5"]);
  const text = importText(many, plain);
  expect(text).toContain("\n  integration/irc-gateway: not reported, may be set: channel, in a/1, a/2, a/3 and 2 more");
  expect(text.match(/may be set/g)).toHaveLength(1);
  expect(importJson(many).match(/may be set/g)).toHaveLength(5);
  expect(
    importText(report(["a/1", "a/2", "a/3"]), plain).match(/^ {2}a\/\d:integration\/irc-gateway: /gm),
  ).toHaveLength(3);
});
