import type { SharedState } from "../../src/state/state.ts";
import { type Backend, laws } from "../state/laws.ts";
import { sharedStateLaws } from "../state/shared-laws.ts";
import { buildProgram } from "./build.ts";
import { Database } from "./database.ts";
import { driver } from "./driver.ts";

const start = await buildProgram();

/** The simulated database, with the real modules that speak to it, by the clock of this machine, set as tests ask. */
const simulated: Backend<SharedState> = {
  name: "simulated database",
  place: async () => {
    let ahead = 0;
    const database = new Database(() => Date.now() + ahead);
    const wire = {
      connect: async () => {},
      ask: async (text: string, values: readonly unknown[]) => {
        await new Promise((resolve) => setImmediate(resolve));
        return database.execute(text, values);
      },
      end: () => {},
    };
    const timers = { setTimeout, clearTimeout, setInterval, clearInterval };
    const globals = { Date, performance, random: Math.random, AbortController, AbortSignal, ...timers };
    const { stateAt } = start({ globals: { ...globals, opened: undefined }, modules: { pg: driver(() => wire) } });
    const open = () => stateAt("postgres://sim@db/sim?sslmode=disable", "EVENKEEL_STATE", "w", {});
    return {
      open,
      age: async (milliseconds) => {
        ahead += milliseconds;
      },
    };
  },
};

laws(simulated);
sharedStateLaws(simulated);
