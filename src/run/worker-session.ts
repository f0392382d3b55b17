import { UserError } from "../base/exit.ts";
import { connectReader, connectWriter } from "../client/client.ts";
import { openState, unshared } from "../state/open-state.ts";
import { isShared } from "../state/state.ts";
import type { Loaded } from "../workspace/load.ts";
import { connectionOf } from "./connection.ts";
import { type Context, loadedAt, openContext, validated } from "./context.ts";
import type { Request } from "./request.ts";
import { withRules } from "./rules-in-force.ts";
import { performShard, type ShardProcess } from "./shard-work.ts";
import type { HeldShard } from "./workers/work-on-shard.ts";
import type { WorkerSession } from "./workers/worker.ts";
import { ledgerKeyCheck } from "./workers.ts";

export interface WorkerCheckout {
  readonly loaded: Loaded;
  readonly request: Pick<Request, "folder" | "env" | "concurrency" | "warn" | "patience">;
}

/** Opens the state of a worker's workspace. @throws UserError if it cannot be used, or is not shared. */
export async function openWorkerSession(checkout: WorkerCheckout): Promise<WorkerSession> {
  const { loaded, request } = checkout;
  const state = await openState({ root: loaded.root, name: loaded.workspace.name, env: request.env });
  if (!isShared(state)) {
    await state[Symbol.asyncDispose]();
    throw new UserError(unshared);
  }
  let open: OpenRun | undefined;
  let held: HeldShard | undefined;
  const close = async () => {
    await open?.[Symbol.asyncDispose]();
    open = undefined;
  };
  return {
    state,
    perform: async (shard) => {
      held = shard;
      if (open?.run !== shard.job.run || open.isOver()) {
        await close();
        open = await openRun(checkout, shard, () => held?.lost());
      }
      return performShard(open.process, shard);
    },
    [Symbol.asyncDispose]: async () => {
      await close();
      await state[Symbol.asyncDispose]();
    },
  };
}

/** The context and the connection of a run; one is open at a time. */
interface OpenRun extends AsyncDisposable {
  readonly run: string;
  readonly process: ShardProcess;
  /** True if its connection is closed, because the token was refused or the server is gone. */
  readonly isOver: () => boolean;
}

async function openRun(
  { loaded, request }: WorkerCheckout,
  { job, document }: HeldShard,
  lost: () => string | undefined,
): Promise<OpenRun> {
  const { only, ...limits } = document.request;
  const asked = { ...request, ...limits, ...(only && { only: { addresses: new Set(only) } }) };
  const checked = await withRules(validated(loaded, asked));
  const own = await openContext(checked);
  try {
    const context: Context = { ...own, loaded: loadedAt(own.loaded, document.release) };
    checkLedgerKey(context, document);
    const connection = { ...connectionOf(context), mayWrite: lost };
    const writer = document.token && (await connectWriter(connection));
    const reader = writer ?? (await connectReader(connection));
    return {
      run: job.run,
      process: { context, reader, writer },
      isOver: reader.isOver,
      [Symbol.asyncDispose]: async () => {
        await reader.close();
        await own[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await own[Symbol.asyncDispose]();
    throw error;
  }
}

/** A worker with another key would record hashes that no later run can compare. */
function checkLedgerKey({ ledger }: Context, { ledgerKey }: HeldShard["document"]): void {
  if (ledgerKey === undefined || ledger?.hashed(ledgerKeyCheck) === ledgerKey) return;
  throw new UserError(
    "the worker has another key of the ledger; set the same EVENKEEL_LEDGER_KEY for runs and workers",
  );
}
