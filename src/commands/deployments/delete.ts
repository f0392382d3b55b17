import { exit, UserError } from "../../base/exit.ts";
import { printable } from "../../base/printable.ts";
import type { Reader } from "../../client/client.ts";
import { readDeployment, removeDeployment } from "../../deployments/deployment-records.ts";
import { platformAt } from "../../live/read-release.ts";
import { unavailableBefore } from "../../model/availability.ts";
import { endpoints } from "../../model/endpoints.ts";
import type { Platform } from "../../model/types.ts";
import { deploymentText } from "../../report/server-texts.ts";
import { loadSettings } from "../../workspace/load.ts";
import type { Run } from "../command.ts";
import type { Options } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { folderOf } from "../workspace-options.ts";
import { checked, writing } from "./connected.ts";

type Choice = Options<"deployments delete">;

/** `evenkeel deployments delete PROJECT ID`: shown, agreed to, deleted. */
export const run: Run<Choice> = (terminal, options, [project = "", id = ""]) => {
  checked(terminal, "deleteDeployment", { id: project, deployment_id: id });
  if (!options.yes && !terminal.interactive) throw new UserError("stdin is not a terminal: pass --yes", exit.usage);
  const { server } = loadSettings(folderOf(terminal, options));
  const lacking = server.isReleaseAssumed ? undefined : lackingIn(server);
  if (lacking) throw new UserError(lacking);
  return writing(terminal, options, async (writer) => {
    const refused = lackingIn(await platformAt(writer, server));
    if (refused) return { status: "failed", error: refused };
    if (!options.yes && !(await agreed(terminal, writer, project, id)))
      return { status: "failed", error: "Not deleted." };
    const failure = await removeDeployment(writer, project, id);
    if (failure) return failure;
    const deleted = { id: Number(id), status: "deleted" };
    return {
      text: () => printable(`Deleted deployment ${id} of ${project}.`),
      json: () => JSON.stringify(deleted, null, 2),
    };
  });
};

function lackingIn(platform: Platform): string | undefined {
  return unavailableBefore("deployments can be deleted", endpoints.deleteDeployment.introduced, platform);
}

async function agreed(terminal: Terminal, reader: Reader, project: string, id: string) {
  terminal.warn(deploymentText(await readDeployment(reader, project, id), terminal.palette));
  return terminal.confirm("Its record cannot be brought back. Delete it? Type yes to continue:");
}
