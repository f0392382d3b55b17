import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { stateAt } from "../../src/state/open-state.ts";
import { pathOf } from "../client/networks.ts";
import type { Database } from "../support/database.mjs";
import { databases } from "./databases.ts";

const ours = [pathOf("server.pem"), pathOf("server.key")] as const;
const [available] = await databases({ tls: ours });

describe.skipIf(!available)("the connection to a state (needs postgresql)", () => {
  let database: Database;
  beforeAll(async () => {
    if (available) database = await available.started();
  });

  let opened = 0;

  /** Whether the connections of a state that is open are encrypted. Those of an earlier one may not have ended yet. */
  async function encrypted(env: Readonly<Record<string, string>>, query = ""): Promise<readonly boolean[]> {
    const name = `state-${++opened}`;
    const url = `${database.url()}?application_name=${name}${query}`;
    await using _ = await stateAt(url, "EVENKEEL_STATE", "w", env);
    const client = new pg.Client({ connectionString: database.url(), ssl: false });
    await client.connect();
    const { rows } = await client.query(
      "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = $1",
      [name],
    );
    await client.end();
    return rows.map(({ ssl }) => ssl);
  }

  const authority = { PGSSLROOTCERT: pathOf("authority.pem") };

  test.each<[string, Readonly<Record<string, string>>, string, boolean]>([
    ["encrypted where nothing is said and the server can", {}, "", true],
    ["plain with disable", { PGSSLMODE: "disable" }, "", false],
    ["plain with allow where that will do", { PGSSLMODE: "allow" }, "", false],
    ["encrypted with require", { PGSSLMODE: "require" }, "", true],
    ["checked with verify-full", { PGSSLMODE: "verify-full", ...authority }, "", true],
    ["as the URL says rather than the variable", { PGSSLMODE: "verify-full" }, "&sslmode=require", true],
  ])("is %s", async (_, env, query, ssl) => {
    expect(await encrypted(env, query)).toEqual([ssl]);
  });

  test("is refused where the authority is not known", async () => {
    await expect(encrypted({ PGSSLMODE: "verify-full" })).rejects.toThrow(/^cannot use the state .*certificate/);
    await expect(encrypted({ PGSSLMODE: "verify-ca" })).rejects.toThrow("certificate");
    await expect(encrypted({ PGSSLMODE: "require", PGSSLROOTCERT: pathOf("person.pem") })).rejects.toThrow(
      "certificate",
    );
    await expect(encrypted({ PGSSLROOTCERT: "/nowhere.pem" })).rejects.toThrow("cannot read /nowhere.pem");
  });

  test("is refused by verify-full alone where the certificate is another host's", async () => {
    database.certify(pathOf("elsewhere.pem"), pathOf("server.key"));
    await database.stop();
    await database.start();
    await expect(encrypted({ PGSSLMODE: "verify-full", ...authority })).rejects.toThrow(/127\.0\.0\.1|altnames/);
    expect(await encrypted({ PGSSLMODE: "verify-ca", ...authority })).toEqual([true]);
    expect(await encrypted({ PGSSLMODE: "require", ...authority })).toEqual([true]);
    database.certify(...ours);
    await database.stop();
    await database.start();
  });
});
