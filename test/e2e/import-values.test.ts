import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

const site = { dialect: "gitlab", release: "19.9", tier: "ultimate" } as const;
const variable = (key: string, value: string, flags: object = {}) => ({
  key,
  value,
  environment_scope: "*",
  variable_type: "env_var",
  protected: false,
  masked: false,
  hidden: false,
  raw: false,
  ...flags,
});
const variables = [
  variable("NODE_ENV", "production"),
  variable("DEBUG", "true"),
  variable("NPM_TOKEN", "abcd"),
  variable("RELEASE", "1.20", { protected: true }),
  variable("MASKED", "production", { masked: true }),
  variable("MIRROR", "https://ci:CANARY@git.example.com/app"),
  variable("SHA", "d41d8cd98f00b204e9800998ecf8427e"),
];
const seed = {
  projects: [
    {
      id: 40,
      path: "payments/api",
      resources: {
        variables,
        webhooks: [{ url: "https://ci:CANARY@hooks.example.com" }],
        badges: [
          { name: "ci", link_url: "https://ci:CANARY@ci.example.com", image_url: "https://ci.example.com/b.svg" },
        ],
      },
    },
  ],
  groups: [{ id: 61, path: "payments", resources: { variables } }],
};

test.each([
  ["payments/api", "payments/api"],
  ["payments/", "payments"],
])("writes plainly public values of %s as literals, and plans as empty", async (name, file) => {
  const { evenkeel, read } = await scene({ ...site, site, seed } as never);
  const imported = await evenkeel("import", name, "--kinds", "variables");
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  expect(imported.stdout).toContain("Wrote 2 values as literals");
  const text = read(`policies/${file}.yaml`);
  expect(text.match(/value: (?!\{).*/g)).toEqual(['value: "true"', "value: production"]);
  expect(text).not.toMatch(/CANARY|d41d8/);
  expect(await evenkeel("validate")).toMatchObject({ code: 0 });
  expect((await evenkeel("plan", "--report", "json")).plan()).toMatchObject({ resource_changes: [], problems: [] });
});

test.each([
  ["literal", 6],
  ["reference", 0],
])("--values %s decides for all that is not masked", async (form, literals) => {
  const { evenkeel, read } = await scene({ ...site, site, seed } as never);
  const flags = ["--kinds", "variables", "--values", form, "--report", "json"];
  const { stdout } = await evenkeel("import", "payments/api", ...flags);
  expect(JSON.parse(stdout)).toMatchObject({ literals });
  expect(read("policies/payments/api.yaml")).not.toMatch(/CANARY|MASKED:\s+value: production/);
  expect(await evenkeel("validate")).toMatchObject({ code: 0 });
});

test("leaves passwords of URLs out, with a remark", async () => {
  const { evenkeel, read } = await scene({ ...site, site, seed } as never);
  const { stdout } = await evenkeel("import", "payments/api", "--kinds", "webhooks,badges");
  expect(read("policies/payments/api.yaml")).toContain("link_url: https://ci@ci.example.com");
  expect(stdout).toContain("link_url: written without the password in its URL");
  expect(stdout).toContain("https://ci@hooks.example.com is left out: its URL has a password");
  expect(stdout + read("policies/payments/api.yaml")).not.toContain("CANARY");
});
