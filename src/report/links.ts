import { bareName } from "../model/owner.ts";
import { isId } from "../model/project-id.ts";
import type { Place } from "../model/types.ts";

/** Where a CI system shows what a report names. URLs of the web interface, without credentials. */
export interface Links {
  /** The files of the repository at the commit of the pipeline; ends in a slash. */
  readonly files?: string;
  /** The HTML report of the run, or the job that has it. */
  readonly page?: string;
}

/** The URL of a line; undefined where files have none. `folder`: from the repository to the workspace. */
export function lineUrl({ files }: Links = {}, folder: string, { file, line }: Place): string | undefined {
  return files === undefined ? undefined : `${files}${encodedPath(`${folder}${file}`)}#L${line}`;
}

/** The URL of a project or group on the server that is managed; undefined if its path is not known. */
export function projectUrl(server: string, name: string): string | undefined {
  const path = bareName(name);
  return isId(path) || !/^https?:\/\//.test(server) ? undefined : `${server.replace(/\/+$/, "")}/${encodedPath(path)}`;
}

/** A path in a URL that no markup ends: also without parentheses and quotes. */
function encodedPath(path: string): string {
  const encoded = path.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
