import { exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import type { Git } from "./open-git.ts";

/** The path of the project of the remote that the branch follows, or of `origin`. @throws UserError (64). */
export function remoteProject({ run, setting }: Git, server: string): string {
  const branch = run("symbolic-ref", "--quiet", "--short", "HEAD").stdout.trim();
  const remote = setting(`branch.${branch}.remote`) || "origin";
  const url = setting(`remote.${remote}.url`);
  if (url === "") {
    throw new UserError(`the repository has no remote ${remote}; git remote add ${remote} URL adds it`, exit.usage);
  }
  const project = projectOn(url, new URL(server));
  if (project !== undefined) return project;
  const shown = printable(url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, "$1"));
  const message = `the remote ${remote}, ${shown}, is not a project of ${new URL(server).origin}, where the merge request would be`;
  throw new UserError(`${message}; set remote.${remote}.url to a project of that server`, exit.usage);
}

function projectOn(remote: string, server: URL): string | undefined {
  const [, host, path] = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(remote) ?? [];
  const url = path === undefined ? remote : `ssh://${host}/${path}`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, host: at, hostname, pathname } = new URL(url);
  const isSsh = protocol === "ssh:";
  if (!isSsh && protocol !== "http:" && protocol !== "https:") return undefined;
  // The ssh port differs, and ssh URLs lack the prefix of the web address.
  if (isSsh ? hostname !== server.hostname : at !== server.host) return undefined;
  const prefix = isSsh ? "/" : `${server.pathname.replace(/(?:\/api\/v4)?\/*$/, "")}/`;
  if (!pathname.startsWith(prefix)) return undefined;
  const name = decodeURIComponent(pathname.slice(prefix.length))
    .replace(/\/*$/, "")
    .replace(/\.git$/, "");
  return name.replace(/^\/+/, "") || undefined;
}
