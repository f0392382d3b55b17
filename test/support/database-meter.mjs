// A way to a PostgreSQL server that counts what is asked on it.
import { connect, createServer } from "node:net";

const startup = 196_608;
const named = { E: "execute", Q: "query" };

/** Calls `heard` with the type of each message that a client sends; those before its first typed one have none. */
function messages(heard) {
  let rest = Buffer.alloc(0);
  let isTyped = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = isTyped ? 1 : 0;
      if (rest.length < head + 8 && rest.length < head + 4) return;
      const length = head + rest.readUInt32BE(head);
      if (rest.length < length) return;
      if (isTyped) heard(String.fromCharCode(rest[0]), rest.subarray(5, length));
      else isTyped = rest.readUInt32BE(4) === startup;
      rest = rest.subarray(length);
    }
  };
}

/** Passes on to a port of this machine, and counts statements and the bytes of their answers. */
export async function metered(port) {
  const counts = { texts: [], statements: 0, bytes: 0 };
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    const hear = messages((type, body) => {
      if (type in named) counts.statements++;
      if (type === "P") counts.texts.push(body.toString().split("\0")[1]);
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(from);
      from.on("error", () => {}).on("close", () => to.destroy());
      from.pipe(to);
    }
    client.on("data", hear);
    upstream.on("data", ({ length }) => {
      counts.bytes += length;
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: server.address().port,
    /** What was asked since the last time, and how much was answered. */
    taken: () => {
      const { texts, statements, bytes } = counts;
      Object.assign(counts, { texts: [], statements: 0, bytes: 0 });
      return { statements, bytes, texts };
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
