import { createServer } from "../../src/server/server.ts";

const [data = ""] = process.argv.slice(2);
const seed = {
  projects: [
    { id: 1, path: "a/b", licenses: { MIT: "allowed" }, integrations: { "irc-gateway": { recipients: "a" } } },
  ],
  tokens: [{ token: "dev", role: "developer" as const }],
};
const server = await createServer({ data, seed, moveDuration: 30 });
console.log(server.url);
