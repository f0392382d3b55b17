import { describe, expect, it } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Desired, DesiredProject, Fields } from "../../src/model/types.ts";
import { showJson, showText } from "../../src/report/show.ts";

const at = (line: number) => ({ place: () => ({ file: "p/a.yaml", line, column: 3 }) });
const resource = (kind: Desired["kind"], key: string, fields: Fields, line: number): Desired => {
  return { kind, key, identity: `${kind}/${key}`, fields, presence: "present", origin: at(line) };
};

const desired: DesiredProject = {
  project: { name: "payments/api", path: "payments/api" },
  kinds: new Set(["integration", "license"]),
  exclusive: new Map([["license", at(20)]]),
  resources: [
    resource(
      "integration",
      "chat",
      { webhook: { secret: "env:HOOK", version: 2 }, channel: "#a", on: true, no: "no" },
      9,
    ),
    { ...resource("integration", "irc", {}, 17), presence: "absent" },
    resource("license", "AGPL 3.0", { approval_status: "denied" }, 18),
  ],
};

describe("show", () => {
  it("reads like a policy, each entry with its place", () => {
    expect(showText(desired, catalogueOf())).toBe(`# payments/api
integrations:
  chat:  # p/a.yaml:9
    channel: "#a"
    no: "no"
    on: true
    webhook: { secret: env:HOOK, version: 2 }
  irc: disabled  # p/a.yaml:17
licenses:  # exclusive: anything else is turned off: p/a.yaml:20
  "AGPL 3.0": denied  # p/a.yaml:18
`);
  });

  it("gives each field of a singleton its own place, because layers merge it by field", () => {
    const settings = resource("settings", "", { merge_method: "ff", squash: true }, 5);
    const fieldPlace = (name: string) => at(name === "squash" ? 5 : 30).place();
    const resources = [{ ...settings, origin: { ...settings.origin, fieldPlace } }];
    const one = { ...desired, resources, exclusive: new Map() };
    expect(showText(one, catalogueOf())).toBe(`# payments/api
settings:  # p/a.yaml:5
  merge_method: ff  # p/a.yaml:30
  squash: true
`);
    const { resources: shown } = JSON.parse(showJson(one));
    expect(shown[0].field_sources).toEqual({
      merge_method: { file: "p/a.yaml", line: 30, column: 3 },
      squash: { file: "p/a.yaml", line: 5, column: 3 },
    });
  });

  it("says when there is nothing", () => {
    const nothing = { ...desired, resources: [], exclusive: new Map() };
    expect(showText(nothing, catalogueOf())).toBe("# payments/api\n# no policy declares anything here\n");
  });

  it("gives scripts addresses and places", () => {
    const shown = JSON.parse(showJson(desired));
    expect(shown.resources[1]).toEqual({
      address: "payments/api:integration/irc",
      kind: "integration",
      key: "irc",
      presence: "absent",
      fields: {},
      source: { file: "p/a.yaml", line: 17, column: 3 },
    });
    expect(shown.exclusive).toEqual([{ kind: "license", source: { file: "p/a.yaml", line: 20, column: 3 } }]);
  });
});
