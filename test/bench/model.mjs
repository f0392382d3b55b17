/**
 * What a run costs, on paper. `model(asked, constants)` is arithmetic: the constants come from `npm run bench -- --model`
 * (constants.json), and docs/scale.md is made of it.
 *
 * asked:     projects, integrations and kinds (lists read) per project, latency (ms), rate (requests/s; 0: no limit), workers (0: none),
 *            change (share of the projects with one change each), reads ("verify" | "trust-updated-at"), apply
 * answered:  requests, megabytes (on the wire), seconds, memory (MB, of the run), limit (what takes the time)
 */
export function model(asked, constants) {
  const counts = requestsOf(asked);
  const writes = asked.apply ? Math.round(asked.projects * asked.change) : 0;
  const reading = phase(counts.reads, constants.read, asked);
  const writing = phase(writes, constants.write, asked);
  const paging = counts.pages * (asked.latency / 1000 + constants.page);
  const each = constants.project[perProject(asked)];
  const alone = constants.start + (asked.workers > 0 ? constants.queue : 0);
  const times = {
    [reading.limit]: reading.seconds,
    pages: paging,
    "the run itself": asked.projects * each.seconds + alone,
  };
  times[writing.limit] = (times[writing.limit] ?? 0) + writing.seconds;
  const [[limit]] = Object.entries(times).sort(([, one], [, other]) => other - one);
  return {
    requests: counts.pages + counts.reads + writes,
    megabytes: bytesOf(asked, counts, writes, constants) / 1e6,
    seconds: Object.values(times).reduce((sum, seconds) => sum + seconds, 0),
    memory: constants.megabytes + asked.projects * each.megabytes,
    limit,
  };
}

/** What a project costs the run beside its requests depends on who reads it, and on whether a ledger is kept. */
function perProject({ workers, reads }) {
  if (workers > 0) return "givenOut";
  return reads === "verify" ? "read" : "trusted";
}

/** One list for each kind and one GET for each declared integration, but for those that are trusted to stand still. */
function requestsOf({ projects, integrations, kinds, reads, change }) {
  const looked = reads === "verify" ? 1 : change;
  return { pages: Math.ceil(projects / 100), reads: Math.round(projects * (kinds + integrations * looked)) };
}

/** Requests are sent as fast as the slowest of three lets them: the limit, the way to the server, or a processor. */
function phase(requests, { cpu, inFlight, share }, { rate, latency, workers }) {
  const processes = Math.max(workers, 1);
  const limits = {
    "the rate limit": rate > 0 ? 1 / (rate * share) : 0,
    "the way to the server": latency / 1000 / (inFlight * processes),
    "one processor": cpu / processes,
  };
  const [limit, seconds] = Object.entries(limits).sort(([, one], [, other]) => other - one)[0];
  return { limit: processes > 1 && limit === "one processor" ? "processors" : limit, seconds: requests * seconds };
}

function bytesOf({ projects, kinds }, { pages, reads }, writes, { bytes }) {
  const lists = projects * kinds;
  return pages * bytes.page + lists * bytes.list + (reads - lists) * bytes.single + writes * bytes.write;
}

/** Through two points: what a unit costs, and what is left without any. */
export function line([x1, y1], [x2, y2]) {
  const slope = (y2 - y1) / (x2 - x1);
  return { slope, rest: y1 - slope * x1 };
}
