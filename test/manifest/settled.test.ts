import fc from "fast-check";
import { expect, test } from "vitest";
import { parseManifest } from "../../src/manifest/document.ts";
import { readPolicies } from "../../src/manifest/policies.ts";
import { readWorkspace } from "../../src/manifest/workspace.ts";

const settings = "apiVersion: evenkeel/v1\nkind: Workspace\nledger: l.ndjson\nserver: { tier: ultimate }\n";
const newWorkspace = () => readWorkspace(parseManifest("evenkeel.yaml", settings)).workspace;

const keys = ["MIT", "mit", '" MIT "', "Apache-2.0", "GPL", '"@"'];
const values = [
  "allowed",
  "denied",
  "approved",
  "alowed",
  '""',
  "1",
  "-0",
  "0",
  "null",
  "true",
  '"${vars.v}"',
  '"${nothing}"',
  "{ secret: env:A }",
  "{ approval_status: denied }",
  "[denied]",
];

const section = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values), { maxKeys: 4 });

function policy(name: string, licenses: Readonly<Record<string, string>>): string {
  const lines = Object.entries(licenses).map(([key, value]) => `  ${key}: ${value}\n`);
  const head = `apiVersion: evenkeel/v1\nkind: Policy\nname: ${name}\nprojects: [a/b]\nvars: { v: denied }\n`;
  return `${head}licenses:${lines.length === 0 ? " {}\n" : `\n${lines.join("")}`}`;
}

/** What documents say, read in turn in one workspace. */
function said(texts: readonly string[]): unknown {
  const documents = texts.flatMap((text, index) => parseManifest(`${index}.yaml`, text).documents);
  const workspace = newWorkspace();
  return documents.map((document) => {
    const { policies, problems, plaintext } = readPolicies({ documents: [document], workspace });
    const entries = policies
      .flatMap((each) => each.entries)
      .map(({ desired, policy, templates }) => {
        const { origin, ...resource } = desired;
        const places = [origin.place(), origin.fieldPlace?.("approval_status")].map((at) => at && { ...at, file: "" });
        return { resource, policy, templates, places };
      });
    const told = problems.map(({ place, ...problem }) => ({ ...problem, place: place && { ...place, file: "" } }));
    return {
      entries: entries.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      told,
      plaintext: [...plaintext],
    };
  });
}

test("what a policy says of its resources does not depend on which others were read before", () => {
  fc.assert(
    fc.property(fc.array(section, { minLength: 2, maxLength: 5 }), (sections) => {
      const texts = sections.map((each, index) => policy(`p${index}`, each));
      expect(said(texts)).toEqual(texts.flatMap((text) => said([text])));
    }),
  );
});
