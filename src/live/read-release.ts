import { isObject } from "../base/json.ts";
import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { call } from "../model/call.ts";
import type { Platform } from "../model/types.ts";

/**
 * The release that the server reports, such as `17.9.1`; undefined if it reports none, whatever it answers instead.
 * No plan counts the request. @throws CallFailed where it ends the run: a rejected token, an unreachable server.
 */
export async function readRelease(reader: Reader): Promise<string | undefined> {
  try {
    const { body } = await reader.get(call("getVersion", {}));
    return isObject(body) ? releaseIn(String(body.version)) : undefined;
  } catch (error) {
    if (!(error instanceof CallFailed) || error.endsRun) throw error;
    return undefined;
  }
}

/** The platform with the release that the server reports, if none was configured. @throws as {@link readRelease}. */
export async function platformAt<Known extends Platform>(reader: Reader, platform: Known): Promise<Known> {
  const release = platform.isReleaseAssumed ? await readRelease(reader) : undefined;
  return release === undefined ? platform : { ...platform, release, isReleaseAssumed: false };
}

/** `17.9.1-ee` is 17.9.1. */
function releaseIn(version: string): string | undefined {
  return /^(\d{1,4}\.\d{1,4}(?:\.\d{1,4})?)(?![\d.])/.exec(version)?.[1];
}
