/**
 * What a soak does to Evenkeel, as data. Each schedule has a fleet and a server of its own; after its rounds faults end,
 * and then an apply has to come through, drift to find everything in sync, and no license to have been created twice.
 *
 * projects  share of the fleet
 * rounds    applies, one after another
 * atOnce    applies that a round starts together (default 1)
 * share     share of the requests that a fault hits, of those that one of the faults is about
 * faults    what may hit them, each as likely as the others:
 *             on      kinds of requests: list, one (any other GET), PUT, POST, PATCH, DELETE (default: all)
 *             acted   the server acts first, and its answer is lost
 *             late    milliseconds after the fault, the server acts all the same
 *             status, body, html, headers   what is answered; or one of
 *             reset, cut, hang              which leave the connection without a whole answer
 *             times   at most so often
 * kill      SIGKILL in each round, at one of its first writes (within: a share of the fleet's) and at one of these moments:
 *             arrives    it gets no further than the gateway
 *             landed     the server acted, and its answer is lost
 *             answered   its answer is on the wire
 * restarts  after which round the server is killed and started again from its file
 * ends      the exit code of every apply that was not killed, where the schedule fixes it
 */

const writes = ["PUT", "POST", "PATCH", "DELETE"];

const ofAllKinds = [
  { name: "429", status: 429, headers: { "retry-after": "0" } },
  { name: "500", status: 500 },
  { name: "500 after acting", status: 500, acted: true },
  { name: "502 in HTML", status: 502, html: true },
  { name: "503", status: 503, headers: { "retry-after": "0" } },
  { name: "409 resource lock", status: 409, body: { message: "409 Conflict: Resource lock" } },
  { name: "reset", reset: true },
  { name: "reset after acting", reset: true, acted: true },
  { name: "cut", cut: true },
  { name: "cut after acting", cut: true, acted: true },
  { name: "hang", hang: true, times: 3 },
];

/** The gateway gives up, and behind it the write goes on and lands 700 ms later. */
const lost = [
  { name: "502, then it lands", status: 502, html: true },
  { name: "503, then it lands", status: 503, html: true },
  { name: "504, then it lands", status: 504, html: true },
  { name: "reset, then it lands", reset: true },
  { name: "time-out, then it lands", hang: true, times: 20 },
].map((fault) => ({ ...fault, on: writes, late: 700 }));

/** As if the API had answered, with what cannot be an answer. */
const nothings = [
  { name: "null", body: null },
  { name: "nothing", body: undefined },
  { name: "{}", body: {} },
  { name: "[]", body: [] },
  { name: "{ error }", body: { error: "internal" } },
  { name: "a string", body: "ok" },
  { name: "a web page", html: true },
];

const nonAnswers = [
  ...nothings.map((fault) => ({ ...fault, name: `${fault.name} for one thing`, on: ["one"] })),
  ...nothings
    .filter(({ name }) => name !== "[]")
    .map((fault) => ({ ...fault, name: `${fault.name} for a list`, on: ["list"] })),
  { name: "a list of nulls", body: [null], on: ["list"] },
  { name: "a next page that is no number", body: [], headers: { "x-next-page": "soon" }, on: ["list"] },
  ...nothings.map((fault) => ({ ...fault, name: `${fault.name} for a write that landed`, on: writes, acted: true })),
  { name: "{ error } for a write that never landed", body: { error: "internal" }, on: writes },
  { name: "202, then it lands", status: 202, body: { message: "202 Accepted" }, on: writes, late: 700 },
];

export const schedules = [
  {
    name: "faults of all kinds",
    projects: 1,
    rounds: 4,
    share: 0.05,
    faults: ofAllKinds,
    kill: { within: 1, moments: ["arrives", "landed"] },
    restarts: [1],
  },
  { name: "lost answers", projects: 0.1, rounds: 2, share: 0.2, faults: lost, ends: 0 },
  { name: "answers that are none", projects: 0.1, rounds: 4, share: 0.15, faults: nonAnswers },
  {
    name: "kills at writes",
    projects: 0.1,
    rounds: 20,
    share: 0,
    faults: [],
    kill: { within: 0.02, moments: ["arrives", "landed", "answered"] },
  },
  {
    name: "eight applies at once",
    projects: 0.1,
    rounds: 6,
    atOnce: 8,
    share: 0.05,
    faults: ofAllKinds.filter(({ hang }) => !hang),
    kill: { within: 0.4, moments: ["landed"] },
  },
];
