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
