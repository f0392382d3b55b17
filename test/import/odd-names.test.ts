import { expect, test } from "vitest";
import { manifestValue } from "../../src/author/accept/manifests.ts";
import { renamedFields } from "../../src/author/import/from/field-table.ts";
import { importProject } from "../../src/author/import/import-project.ts";
import { listVariables, withReferences } from "../../src/author/import/names.ts";
import { blank, policyFileText } from "../../src/author/import/policy.ts";
import { parseManifest } from "../../src/manifest/document.ts";
import { readPolicies } from "../../src/manifest/policies.ts";
import { defaultWorkspace } from "../../src/manifest/workspace.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";

const catalogue = catalogueOf();
const project = { name: "a/b", path: "a/b", id: 1 };
const draft = { file: "", name: "n", projects: ["a/b"], except: [], heading: [] };

test.each(["a\nb", "a\r\nb\n", "a\u2028b", "\ufeffa", "<<", "null", "? a", "toString", "__proto__"])(
  "imports a label named %j to a valid manifest",
  (key) => {
    const live = [{ kind: "label", key, active: true, fields: { color: "#00cc00" } }];
    const { entries, remarks } = importProject(
      { project, live, others: [], unread: [] },
      { release: "14.5" },
      catalogue,
    );
    const text = policyFileText([{ ...draft, entries, remarks }], "schema.json", catalogue);
    const { documents, problems } = parseManifest("a.yaml", text);
    const read = readPolicies({ documents, workspace: defaultWorkspace });
    expect([...problems, ...read.problems]).toEqual([]);
    expect(documents).toMatchObject([{ value: { labels: JSON.parse(`{${JSON.stringify(key)}: {}}`) } }]);
  },
);

test("takes names of members of every object for names", () => {
  const live = { enabled: true, toString: "x" };
  const accepted = manifestValue(catalogue, { kind: "settings", key: "" }, "container_expiration_policy", live, {});
  expect(accepted).toEqual({ value: {} });
  const place = () => ({ file: "a.yml", line: 1, column: 1 });
  const table = { section: "labels", fields: {}, levels: {}, opposites: {}, ignored: {}, trimmed: {}, items: {} };
  const { fields } = renamedFields(table, "a", new Map([["toString", { value: "x", place }]]));
  expect([...fields.keys()]).toEqual(["toString"]);
});

test("gives a secret no variable that manifests refer to already", () => {
  const document = { value: { variables: { TOKEN: { value: { secret: "env:A_B_TOKEN_VALUE" } } } } };
  const entry = { kind: "variable", key: "B_TOKEN", fields: new Map([["value", blank("")]]), remarks: [] };
  const imported = [{ project: { name: "a/" }, entries: [entry], remarks: [] }];
  const [named] = withReferences(imported, { catalogue, taken: listVariables([document]) });
  expect(named?.entries[0]?.fields.get("value")).toMatchObject({ secret: "env:A_B_TOKEN_VALUE_2" });
});
