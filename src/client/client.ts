import type { Call } from "../model/types.ts";
import { settle } from "./confirm-write.ts";
import { CallFailed } from "./failure.ts";
import type { ClientOptions } from "./options.ts";
import { perform } from "./perform.ts";
import { readList, type SendCall } from "./read-list.ts";
import type { Closing, Reader, Writer } from "./reader.ts";
import { openSession, type Session } from "./session.ts";

export type { ClientOptions } from "./options.ts";
export type { Answer, Closing, Reader, Writer } from "./reader.ts";

/**
 * A connection that can only read: it refuses any method but GET.
 * @throws UserError where the URL is not one that the token may be sent to. Nothing is sent before the first call.
 */
export async function connectReader(options: ClientOptions): Promise<Reader & Closing> {
  return readerOf(await openSession(options, new Set(["GET"])));
}

/** A connection that reads and writes. @throws as {@link connectReader}. */
export async function connectWriter(options: ClientOptions): Promise<Writer & Closing> {
  const session = await openSession(options, new Set(["GET", "PUT", "POST", "PATCH", "DELETE"]));
  const once = reading(session, async (call, attempts = 1) => {
    const result = await session.attempt(call, attempts);
    if (result instanceof CallFailed) throw result;
    return result;
  });
  return {
    ...readerOf(session),
    send: (call) => perform(session, call),
    settle: (call, probe) => settle(session, once, call, probe),
  };
}

function readerOf(session: Session): Reader & Closing {
  const close = () => session.close();
  return {
    ...reading(session, (call, first) => perform(session, call, first)),
    isOver: () => session.stopped,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function reading(session: Session, send: SendCall): Reader {
  const urlOf = (path: string) => session.urlOf(path);
  return {
    get: (call) => send(onlyReading(call)),
    list: (call) => readList(send, onlyReading(call), urlOf),
    room: () => session.room,
    counts: session.counts,
    catalogue: session.catalogue,
  };
}

function onlyReading(call: Call): Call {
  if (call.method !== "GET") throw new RangeError(`${call.method} does not read`);
  return call;
}
