import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogueOf, type Integration, type IntegrationParameter } from "../../src/model/catalogue.ts";
import { dialectNamed } from "../../src/model/dialects.ts";
import { compareReleases } from "../../src/model/releases.ts";
import { stage } from "../support/stage.ts";

const release = "18.5";
const gitlab = { dialect: "gitlab", release, behaviour: "observed", tier: "ultimate" } as const;
const site = { dialect: "gitlab", release, tier: "ultimate" };
const { integrations } = catalogueOf("gitlab");
const { additions, integrations: named } = dialectNamed("gitlab");
const extended = Object.keys(additions?.parameters ?? {}).map((slug) => named[slug]?.name ?? slug);
const added = Object.keys(additions?.integrations ?? {});
const gone = (slug: string) => integrations.get(slug)?.removed !== undefined;
const slugs = [...extended, ...added].filter((slug) => !gone(slug) && slug !== "mock-ci");

/** Each parameter with a value of its type that is not its default. */
function declared(integration: Integration): Readonly<Record<string, unknown>> {
  const own = [...integration.parameters.values()].filter(({ deprecated, introduced }) => {
    return !deprecated && (introduced === undefined || compareReleases(introduced, release) <= 0);
  });
  return Object.fromEntries(own.map((parameter) => [parameter.name, sampleOf(parameter)]));
}

function sampleOf({
  name,
  types,
  enum: words,
  secret,
  "x-url": url,
  default: standard,
  pattern,
}: IntegrationParameter): unknown {
  if (secret) return { secret: "env:SECRET" };
  if (words) return words.find((word) => word !== standard);
  if (types[0] === "array") return ["B", "A"];
  if (types[0] === "boolean") return standard !== true;
  if (types[0] === "integer") return 1;
  return url ? `https://${name.replaceAll("_", "-")}.example.com/${pattern ?? ""}` : `a ${name}`;
}

const policy = {
  projects: ["p"],
  integrations: Object.fromEntries(slugs.map((slug) => [slug, declared(integrations.get(slug) as Integration)])),
};

const secrets = { SECRET: "CANARYsecret" };
const projects = [{ path: "p" }];

test("what dialect gitlab adds is valid, applied, and in sync from then on, also as imported; no secret is printed", async () => {
  const { evenkeel, root } = await stage({ ...gitlab, site, secrets, projects, policy });
  const ran = async (...args: string[]) => {
    const { code, stdout, stderr } = await evenkeel(...args);
    expect(stdout + stderr).not.toContain("CANARY");
    return { code, stdout, stderr };
  };
  const inSync = { code: 0, stdout: expect.stringContaining("No changes: 1 project in sync.") };
  expect(await ran("validate")).toMatchObject({ code: 0 });
  expect(await ran("apply", "--yes")).toMatchObject({ code: 0 });
  expect(await ran("plan")).toMatchObject(inSync);
  expect(await ran("import", "--all")).toMatchObject({ code: 0 });
  rmSync(join(root, "all.yaml"));
  const text = readFileSync(join(root, "policies/p.yaml"), "utf8");
  expect(text).toContain("telegram:");
  writeFileSync(join(root, "policies/p.yaml"), text.replace(/env:[A-Z_0-9]+/g, "env:SECRET"));
  expect(await ran("plan")).toMatchObject(inSync);
});
