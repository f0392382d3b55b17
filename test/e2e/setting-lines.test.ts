import { expect, test } from "vitest";
import { repository } from "../revision/repository.ts";
import { changeOf, scene } from "./workspace.ts";

const chat = (channel: string) => ({ webhook: "https://x", channel });
const projects = ["mobile/app", "mobile/core"].map((path, index) => ({
  id: index + 1,
  path,
  integrations: { "chat-notifications-a": chat("#mobile"), "irc-gateway": { recipients: "#ops" } },
}));
const everyone = {
  projects: ["**"],
  integrations: {
    "chat-notifications-a": { webhook: { secret: "env:HOOK" }, channel: "${vars.channel}" },
    "irc-gateway": { recipients: "#ops-now" },
  },
};
const team = (channel: string) => ({ projects: ["mobile/**"], vars: { channel } });
const address = "mobile/app:integration/chat-notifications-a";

test("a change of a variable names the line of the variable, in the plan and in reports of findings", async () => {
  const { evenkeel, read } = await scene({ projects, policies: { everyone, team: team("#mobile-on-call") } });
  const planned = await evenkeel("plan", "--report", "json", "--report", "codequality=q.json");
  const change = changeOf(planned.plan(), address);
  expect([change.source.file, change.set_at?.file]).toEqual(["everyone.yaml", "team.yaml"]);
  expect(change.moved_notifications).toEqual(["#mobile -> #mobile-on-call (chat-notifications-a)"]);
  expect(change.lost_notifications).toBeUndefined();
  expect(changeOf(planned.plan(), "mobile/app:integration/irc-gateway")).not.toHaveProperty("set_at");
  const places = JSON.parse(read("q.json")).map(
    ({ check_name: rule, location }: { check_name: string; location: { path: string } }) => `${rule} ${location.path}`,
  );
  expect(places).toContain("review-moved-notifications team.yaml");
  expect(places).toContain("planned-update everyone.yaml");
  const { stdout } = await evenkeel("plan");
  expect(stdout).toContain("  ! 4 changes move notifications");
  expect(stdout).toContain(
    `~ 2 projects: chat-notifications-a channel: "#mobile" -> "#mobile-on-call" (everyone.yaml:${change.source.line}, set in team.yaml:${change.set_at?.line})`,
  );
});

test("with --since, the line of the manifest that the revision changed is named first", async () => {
  const irc = { recipients: "${vars.prefix}${vars.suffix}" };
  const integrations = { ...everyone.integrations, "irc-gateway": irc };
  const wide = { projects: ["mobile/app"], vars: { suffix: "-now" }, integrations };
  const prefix = (value: string) => ({ projects: ["mobile/app"], vars: { channel: "#mobile", prefix: value } });
  const made = await scene({ projects, policies: { wide, prefix: prefix("#ops") } });
  const { commit } = repository(made.root);
  commit();
  made.policy({ ...wide, vars: { suffix: "-later" } }, "wide");
  const on = async (...options: string[]) =>
    changeOf(
      (await made.evenkeel("plan", "--report", "json", ...options)).plan(),
      "mobile/app:integration/irc-gateway",
    );
  expect((await on("--since", "HEAD")).set_at?.file).toBe("wide.yaml");
  expect((await on()).set_at?.file).toBe("prefix.yaml");
});

test("a field of a singleton that another policy sets is told with the line of that policy", async () => {
  const all = { projects: ["**"], settings: { merge_method: "ff" } };
  const near = (option: string) => ({ projects: ["mobile/app"], settings: { squash_option: option } });
  const { policy, evenkeel } = await scene({ projects, policies: { all, near: near("default_off") } });
  const settings = async (project: string) =>
    changeOf((await evenkeel("plan", "--report", "json")).plan(), `${project}:settings`);
  const { change, source, set_at } = await settings("mobile/app");
  expect([change.after, source.file, set_at?.file]).toEqual([{ merge_method: "ff" }, "near.yaml", "all.yaml"]);
  expect((await evenkeel("plan")).stdout).toContain(
    `~ 2 projects: settings merge_method: "merge" -> "ff" (all.yaml:${set_at?.line})`,
  );
  expect(await settings("mobile/core")).not.toHaveProperty("set_at");
  policy(near("always"), "near");
  const both = await settings("mobile/app");
  expect(Object.keys(both.change.after ?? {}).sort()).toEqual(["merge_method", "squash_option"]);
  expect(both).not.toHaveProperty("set_at");
});
