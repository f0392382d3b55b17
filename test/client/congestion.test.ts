import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Congestion } from "../../src/client/congestion.ts";

/** Milliseconds that a server takes for one request, with so many in flight. */
type Server = (inFlight: number, now: number) => number;

interface Room {
  readonly room: number;
  answered(sent: number, inFlight: number, now: number): void;
}

const fixed = (room: number): Room => ({ room, answered: () => {} });

interface Run {
  readonly time: number;
  /** The room at each answer. */
  readonly rooms: readonly number[];
}

/** A clock of its own: requests go out as soon as there is room, and are answered in the order of their time. */
function run(server: Server, requests: number, gate: Room): Run {
  const flying: { readonly sent: number; readonly inFlight: number; readonly end: number }[] = [];
  const rooms: number[] = [];
  let now = 0;
  for (let sent = 0; rooms.length < requests; ) {
    for (; sent < requests && flying.length < gate.room; sent++) {
      const inFlight = flying.length + 1;
      const end = now + server(inFlight, now);
      const at = flying.findIndex((other) => other.end > end);
      flying.splice(at < 0 ? flying.length : at, 0, { sent: now, inFlight, end });
    }
    const next = flying.shift();
    if (!next) break;
    now = next.end;
    gate.answered(next.sent, next.inFlight, now);
    rooms.push(gate.room);
  }
  return { time: now, rooms };
}

const best = (server: Server, requests: number): number =>
  Math.min(...[2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128].map((room) => run(server, requests, fixed(room)).time));

const servers: readonly (readonly [name: string, of: (knee: number) => Server])[] = [
  ["has so many workers", (knee) => (n) => 20 * Math.max(1, n / knee)],
  ["slows down by the square of its load", (knee) => (n) => 20 * (1 + (n / knee) ** 2)],
  ["collapses beyond its knee", (knee) => (n) => (n <= knee ? 20 : 20 * (n / knee) ** 2)],
];

describe.each(servers)("with a server that %s", (_, of) => {
  it.each([8, 24, 60])("the room settles within a fifth of the best number, the knee at %i", (knee) => {
    const { time } = run(of(knee), 7000, new Congestion(128));
    expect(time / best(of(knee), 7000)).toBeLessThan(1.2);
  });

  it("it gives way when the server gets slower in the middle, and comes back", () => {
    const worse: Server = (n, now) => of(now > 5000 && now < 15_000 ? 8 : 64)(n, now);
    const { rooms, time } = run(worse, 30_000, new Congestion(128));
    expect(Math.min(...rooms.slice(5000))).toBeLessThan(24);
    expect(rooms.at(-100)).toBeGreaterThan(32);
    expect(time).toBeLessThan(run(worse, 30_000, fixed(8)).time);
  });
});

it.each([20, 100])("the room is at its ceiling within five times %i ms, and stays near it", (latency) => {
  const { rooms } = run(() => latency, 10_000, new Congestion(128));
  const answersIn5 = 10 + 20 + 40 + 80 + 128;
  expect(Math.max(...rooms.slice(0, answersIn5))).toBe(128);
  const mean = rooms.slice(answersIn5).reduce((sum, room) => sum + room, 0) / (rooms.length - answersIn5);
  expect(mean).toBeGreaterThan(115);
});

it("moments in which nothing moves, as on a busy machine, say nothing of the number in flight", () => {
  const standsStill: Server = (_, now) => (now % 500 < 120 ? 120 - (now % 500) : 0) + 20;
  const { rooms, time } = run(standsStill, 7000, new Congestion(128));
  expect(rooms.reduce((sum, room) => sum + room, 0) / rooms.length).toBeGreaterThan(110);
  expect(time / run(standsStill, 7000, fixed(128)).time).toBeLessThan(1.2);
});

it("a server that answers one after the other, but at once, is asked by eight at least", () => {
  const { rooms } = run((inFlight) => inFlight / 3, 7000, new Congestion(128));
  expect(Math.min(...rooms)).toBe(8);
  expect(Math.max(...rooms.slice(500))).toBeLessThan(32);
});

describe("a refusal", () => {
  it("halves the room once for all that was in flight, down to one", () => {
    const one = new Congestion(8);
    one.overloaded(0, 5);
    one.overloaded(4, 6);
    expect(one.room).toBe(4);
    for (let now = 10; now < 20; now++) one.overloaded(now, now);
    expect(one.room).toBe(1);
  });

  it("is rare with a server that refuses more than twelve at a time", () => {
    const gate = new Congestion(128);
    let refused = 0;
    const { rooms } = run(() => 20, 10_000, {
      get room() {
        return gate.room;
      },
      answered: (sent, inFlight, now) => {
        if (inFlight <= 12) return gate.answered(sent, inFlight, now);
        refused++;
        gate.overloaded(sent, now);
      },
    });
    expect(refused).toBeLessThan(500);
    expect(rooms.at(-1)).toBeGreaterThan(3);
  });
});

it("the room is a whole number from one to the ceiling, whatever happens, and the same for the same answers", () => {
  const answer = fc.record({
    took: fc.double({ min: 0, max: 1e6, noNaN: true }),
    inFlight: fc.integer({ min: 1, max: 2000 }),
    isRefused: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.array(answer, { maxLength: 400 }), (ceiling, answers) => {
      const [one, other] = [new Congestion(ceiling), new Congestion(ceiling)];
      let now = 0;
      for (const { took, inFlight, isRefused } of answers) {
        const sent = now;
        now += took;
        for (const each of [one, other]) {
          if (isRefused) each.overloaded(sent, now);
          else each.answered(sent, inFlight, now);
        }
        expect(one.room).toBe(other.room);
        expect(Number.isInteger(one.room) && one.room >= 1 && one.room <= ceiling).toBe(true);
      }
    }),
  );
});
