import { createFollower, type FastForwarded } from "../../src/git/fast-forward.ts";

export async function fastForward(folder: string): Promise<FastForwarded> {
  using follower = createFollower(folder, new AbortController().signal, 120_000);
  return await follower.forward();
}
