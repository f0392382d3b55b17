import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { lazy } from "../base/memoize.ts";
import { hostAndPort } from "../base/system-errors.ts";
import { catalogueOf, observedCatalogueOf } from "../model/catalogue.ts";
import { isReleaseText } from "../model/releases.ts";
import type { ResourceKind } from "../model/resource-kind.ts";
import type { Environment, Tier } from "../model/types.ts";
import { type BehaviourName, behaviourOf } from "./behaviour.ts";
import { type ChaosRule, createChaos } from "./chaos.ts";
import { endpointRoutes } from "./handlers.ts";
import { kindRoutes } from "./kind-handlers.ts";
import { servedKinds } from "./kinds.ts";
import { implyGroups, loadSeed } from "./load-seed.ts";
import { createMover } from "./moves.ts";
import { type RequestLog, requestLog } from "./request-log.ts";
import { createResponder } from "./respond.ts";
import { createRouter } from "./routes.ts";
import type { Seed } from "./seed.ts";
import { memoryStore, restore, userOf } from "./state.ts";

export interface ServerOptions {
  /** 0, the default: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** An admin's token, beside those of the seed. */
  readonly token?: string;
  /** The initial data; ignored if the data file is not empty. */
  readonly seed?: Seed;
  /** The file that persists all data across restarts and kills; without it data is kept in memory. */
  readonly data?: string;
  readonly release?: string;
  readonly tier?: Tier;
  readonly environment?: Environment;
  /** The dialect; default that of the specification. */
  readonly dialect?: string;
  /** Kinds of resources in addition to the bundled ones. */
  readonly kinds?: readonly ResourceKind[];
  /** Follows the specification, or deployed servers where they differ. */
  readonly behaviour?: BehaviourName;
  /** Milliseconds before each response. */
  readonly latency?: number;
  readonly chaos?: readonly ChaosRule[];
  readonly pageSize?: number;
  readonly maxPageSize?: number;
  /** The duration of a storage move in milliseconds; default that of the seed. */
  readonly moveDuration?: number;
  /** Limit of logged requests; further ones are only counted. */
  readonly keepRequests?: number;
}

export interface Server {
  /** Origin, without a trailing slash; the API is below /api/v4. */
  readonly url: string;
  readonly port: number;
  readonly requests: RequestLog;
  /** Closes all connections, including those that wait for a response, and persists all data. */
  close(): Promise<void>;
}

/**
 * Starts the embedded server (docs/embedded-server.md). Rejects if the port or the data file is unavailable, or for an
 * unknown release or dialect.
 */
export async function createServer(options: ServerOptions = {}): Promise<Server> {
  const { port = 0, host = "127.0.0.1", latency = 0, keepRequests = 1000, seed = {}, dialect } = options;
  const { release = defaultRelease, tier = "ultimate", environment = "production" } = options;
  if (!isReleaseText(release))
    throw new RangeError(`${JSON.stringify(release)} is no release such as ${defaultRelease}`);
  const behaviour = behaviourOf(options.behaviour ?? "spec", release);
  const kinds = servedKinds({ release, tier, behaviour }, options.kinds);
  const store =
    options.data === undefined ? memoryStore : (await import("./file-store.ts")).openFileStore(options.data);
  const state = restore(store);
  if (store.fresh)
    loadSeed({ state, catalogue: catalogueOf(dialect), putActivates: behaviour.putActivates, kinds }, seed);
  implyGroups(state);
  await store.settled();
  state.token.set(options.token ?? "evenkeel-dev-token", { role: "admin", user: userOf(1, "admin") });
  const mover = createMover(state, release, options.moveDuration ?? seed.move_duration ?? 300);
  const catalogue = (options.behaviour === "observed" ? observedCatalogueOf : catalogueOf)(dialect);
  const context = {
    state,
    release,
    tier,
    environment,
    catalogue,
    behaviour,
    pageSize: options.pageSize ?? 20,
    maxPageSize: options.maxPageSize ?? 100,
    kinds,
    startMove: mover.start,
  };
  const log = requestLog(keepRequests);
  const chaos = createChaos(options.chaos ?? []);
  const route = createRouter([...endpointRoutes(context), ...kindRoutes(context)]);
  const http = createHttpServer(createResponder({ context, route, log, chaos, latency }));
  http.keepAliveTimeout = idleLimit;
  try {
    await once(http.listen(port, host), "listening");
  } catch (error) {
    mover.stop();
    await store.close();
    throw error;
  }
  const bound = (http.address() as AddressInfo).port;
  const close = lazy(async () => {
    mover.stop();
    const closed = once(http, "close");
    http.close();
    http.closeAllConnections();
    await closed;
    await store.close();
  });
  return { url: `http://${hostAndPort(host, bound)}`, port: bound, requests: log, close };
}

const defaultRelease = "14.5";

/** Milliseconds; longer than clients keep a connection, so that none is closed during a request. */
const idleLimit = 120_000;
