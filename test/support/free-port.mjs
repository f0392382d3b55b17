import { createServer } from "node:net";

/** Below the ports that systems give to whoever asks for any. */
const [first, count] = [20_000, 12_000];

/** A port of loopback that nobody uses, and that nobody is given while its server is down for a moment. */
export async function freePort() {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    if (await isFree(port)) return port;
  }
}

function isFree(port) {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
