import { expect, test } from "vitest";
import { scene } from "../e2e/workspace.ts";

const policy = { projects: ["a/b"], licenses: { MIT: "allowed" } } as const;

test("a configuration of gitlabform is named and left out", async () => {
  const own = await scene({ projects: [{ id: 1, path: "a/b" }], policy });
  own.write(
    "config.yml",
    "config_version: 3\n.all: &all\n  integrations: {}\nprojects_and_groups:\n  '*':\n    <<: *all\n",
  );
  const ran = await own.evenkeel("validate");
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr + ran.stdout).toMatch(
    /config\.yml:1:1 .*this is a configuration of gitlabform, not a manifest, and is left out; evenkeel import --from gitlabform reads it/,
  );
  expect(await own.evenkeel("apply", "--yes")).toMatchObject({ code: 0, writes: 1 });
});

test.each([
  [
    "compose.yaml",
    "services:\n  db:\n    image: postgres\n",
    "; this looks like a configuration of Docker Compose; to leave it out, list",
  ],
  [
    "k8s.yaml",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: x\n",
    "; this looks like a manifest of Kubernetes; to",
  ],
  [
    "ci.yml",
    "stages: [test]\nunit:\n  script: make\n",
    "; this looks like a pipeline of GitLab CI/CD; to leave it out, list",
  ],
  ["other.yaml", "a: 1\n", "; if this is not a manifest, list the manifests in evenkeel.yaml"],
  [
    "half.yaml",
    "apiVersion: evenkeel/v2\nprojects_and_groups: {}\n",
    "; evenkeel 0.1.0 does not read evenkeel/v2, a later release may",
  ],
])("%s is a problem that says what it looks like", async (name, text, words) => {
  const own = await scene({ projects: [{ id: 1, path: "a/b" }], policy });
  own.write(name, text);
  const ran = await own.evenkeel("validate");
  expect(ran).toMatchObject({ code: 1 });
  expect(ran.stderr + ran.stdout).toContain(`expected apiVersion: evenkeel/v1${words}`);
});
