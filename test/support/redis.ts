import { spawn } from "node:child_process";
import { once } from "node:events";
import { Redis } from "ioredis";
import { tempFolder } from "./folder.ts";
import { freePort } from "./free-port.mjs";
import { installed } from "./needs.ts";
import { killWithRun } from "./processes.ts";

/** A server of Redis or Valkey of its own, which keeps nothing. */
export async function startRedis(password = "Q7-CANARY-9x") {
  const port = await freePort();
  const settings = { port, bind: "127.0.0.1", requirepass: password, save: "", appendonly: "no", dir: tempFolder() };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(installed("redis") ?? "redis-server", words, { stdio: ["ignore", "pipe", "inherit"] });
  killWithRun(child);
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`Redis did not start: ${said}`)));
    // Read to its end: a server whose log nobody reads stands still.
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("Ready to accept connections")) resolve();
    });
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const url = `redis://:${password}@127.0.0.1:${port}`;
  const asked = async <Answer>(ask: (client: Redis) => Promise<Answer>) => {
    const client = new Redis(url);
    return ask(client).finally(() => client.disconnect());
  };
  return {
    port,
    url,
    [Symbol.asyncDispose]: stop,
    /** Breaks the connections of everybody. */
    cut: () =>
      asked(async (client) => {
        await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        await client.call("CLIENT", "KILL", "TYPE", "pubsub");
      }),
    /** Work that is waiting or being done. */
    jobs: () => asked(async (client) => (await client.keys("bull:*")).filter((key) => /\.\d+\.\d+$/.test(key))),
  };
}
