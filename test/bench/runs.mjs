// One measured run in a process of its own: node runs.mjs KIND URL COUNT [FOLDER]; prints its figures as JSON.
import { paths, slugs } from "./fleet.mjs";

const [kind, url, count, folder] = process.argv.slice(2);
/** Of the floor: what undici's own examples and most scripts have; the plan finds its own number. */
const concurrency = 16;
const projects = paths(Number(count));

const runs = {
  async load() {
    const { load, validate } = await import("../../dist/index.js");
    return () => {
      const { problems } = validate(load(folder));
      if (problems.length > 0) throw new Error(problems[0].message);
      return 0;
    };
  },

  async plan() {
    const { plan } = await import("../../dist/index.js");
    const env = { EVENKEEL_TOKEN: "bench", EVENKEEL_URL: url };
    return async () => {
      const { plan: document } = await plan({ folder, env });
      const { writes, reads } = document.summary;
      if (writes > 0 || reads < Number(count) || document.problems.length > 0)
        throw new Error(`not in sync: ${JSON.stringify(document.summary)}`);
      return reads;
    };
  },

  /** The same requests, 16 at a time, with nothing around them. */
  async floor() {
    return async () => {
      // Loaded here, because a plan loads its client while it runs.
      const { Pool } = await import("undici");
      const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
      const headers = { "private-token": "bench" };
      let requests = 0;
      const get = async (path) => {
        requests++;
        return (await pool.request({ path: `/api/v4${path}`, method: "GET", headers })).body.json();
      };
      const read = async (path) => {
        const base = `/projects/${encodeURIComponent(path)}`;
        await get(`${base}/integrations`);
        for (const slug of slugs) await get(`${base}/integrations/${slug}`);
        await get(`${base}/managed_licenses?per_page=100`);
      };
      const queue = projects.values();
      const worker = async () => {
        for (const path of queue) await read(path);
      };
      await Promise.all(Array.from({ length: concurrency }, worker));
      await pool.close();
      return requests;
    };
  },

  /** The script that most people would write: a client library (its pace limit lifted), and 10 projects at a time. */
  async peer() {
    const { Gitlab } = await import("@gitbeaker/rest");
    const { default: pLimit } = await import("p-limit");
    const api = new Gitlab({ host: url, token: "bench", rateLimits: { "**": 1e9 } });
    const limit = pLimit(10);
    let requests = 0;
    const read = async (path) => {
      await api.Integrations.all(path);
      for (const slug of slugs) await api.Integrations.show(path, slug);
      await api.Integrations.requester.get(`projects/${encodeURIComponent(path)}/managed_licenses`, {
        searchParams: { perPage: 100 },
      });
      requests += 2 + slugs.length;
    };
    return async () => {
      await Promise.all(projects.map((path) => limit(() => read(path))));
      return requests;
    };
  },
};

const run = await runs[kind]();
const cpu = process.cpuUsage();
const started = performance.now();
const requests = await run();
const milliseconds = performance.now() - started;
const { user, system } = process.cpuUsage(cpu);
const figures = {
  milliseconds,
  requests,
  cpu: (user + system) / 1e6,
  megabytes: process.resourceUsage().maxRSS / 1024,
};
console.log(JSON.stringify(figures));
process.exit(0);
