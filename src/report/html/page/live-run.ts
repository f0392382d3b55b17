interface Progress {
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

/** Shows the progress of a run; reloads the page when the run has ended. */
export function followRun(node: HTMLElement, address: string): void {
  const events = new EventSource(address);
  events.addEventListener("progress", (event) => showProgress(node, JSON.parse(event.data)));
  events.addEventListener("end", () => {
    events.close();
    location.reload();
  });
}

function showProgress(node: HTMLElement, { done, total, text }: Progress): void {
  const bar = node.querySelector("progress");
  const label = node.querySelector("span");
  if (!bar || !label) return;
  bar.max = Math.max(1, total);
  bar.value = done;
  if (label.textContent !== text) label.textContent = text;
}
