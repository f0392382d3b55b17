export interface Progress {
  /** `note` follows the numbers. */
  readonly update: (done: number, total: number, note?: string) => void;
  readonly stop: () => void;
}

/** Shows nothing: there is no terminal. */
export const noBar: Progress = { update: () => {}, stop: () => {} };

/** The bars of a terminal, of which one is shown at a time. */
export class Screen {
  #shown = 0;
  readonly #stream: NodeJS.WritableStream;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  begin(): void {
    this.#shown++;
  }

  end(): void {
    this.#shown--;
  }

  /** Takes a bar out of the line in which something else is to be printed; its next update shows it again below. */
  clear(): void {
    if (this.#shown > 0) this.#stream.write("\r\u001b[2K");
  }

  /** The same for a process that ends at once: the cursor, which a bar hides, comes back. */
  leave(): void {
    if (this.#shown > 0) this.#stream.write("\r\u001b[2K\u001b[?25h");
  }
}

/** A bar that is shown from the first update after its library is loaded until it is stopped. */
export function startBar(label: string, stream: NodeJS.WritableStream, screen: Screen): Progress {
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
      if (!shown.isActive) {
        screen.begin();
        shown.start(total, done, { note });
      }
      shown.setTotal(total);
      shown.update(done, { note });
    },
    stop: () => {
      stopped = true;
      if (!shown?.isActive) return;
      shown.stop();
      screen.end();
    },
  };
}
