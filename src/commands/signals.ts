import type { Host } from "./host.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs something during which a signal has its default effect: it ends the process at once. */
export function blocking(host: Host, work: () => void): void {
  const kept = signals.map((signal) => [signal, host.listeners(signal)] as const);
  for (const signal of signals) host.removeAllListeners(signal);
  try {
    work();
  } finally {
    for (const [signal, listeners] of kept) for (const listener of listeners) host.on(signal, listener);
  }
}

/** What the first signal aborts, from `listen` on; the second one ends the process, after `leaving`. */
export function interruptionOf(
  host: Host,
  leaving: () => void,
): { readonly signal: AbortSignal; readonly listen: () => void } {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) {
      leaving();
      return host.exit(130);
    }
    controller.abort("the run was interrupted");
  };
  let listening = false;
  const listen = () => {
    if (listening) return;
    listening = true;
    for (const signal of signals) host.on(signal, interrupt);
  };
  return { signal: controller.signal, listen };
}
