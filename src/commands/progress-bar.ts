export interface Progress {
  /** `note` follows the numbers. */
  readonly update: (done: number, total: number, note?: string) => void;
  readonly stop: () => void;
}

/** Shows nothing: there is no terminal. */
export const noBar: Progress = { update: () => {}, stop: () => {} };

/** A bar that is shown from the first update after its library is loaded until it is stopped. */
export function startBar(label: string, stream: NodeJS.WritableStream): Progress {
  let stopped = false;
  const format = `${label} [{bar}] {value}/{total} {note}`;
  const bar = import("cli-progress").then(({ default: { SingleBar } }) => {
    return new SingleBar({ format, barsize: 30, hideCursor: true, clearOnComplete: true, stream });
  });
  let shown: Awaited<typeof bar> | undefined;
  void bar.then((ready) => {
    if (!stopped) shown = ready;
  });
  return {
    update: (done, total, note = "") => {
      if (!shown || stopped) return;
      if (!shown.isActive) shown.start(total, done, { note });
      shown.setTotal(total);
      shown.update(done, { note });
    },
    stop: () => {
      stopped = true;
      if (shown?.isActive) shown.stop();
    },
  };
}
