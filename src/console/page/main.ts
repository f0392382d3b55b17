/** All that needs a script: the key that leads to the search, and how far a run is while it goes on. */

addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.matches("input, select, textarea");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.querySelector<HTMLInputElement>("input[type=search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});

const live = document.querySelector<HTMLElement>("[data-live]");
if (live?.dataset.live) follow(live, live.dataset.live);

/** Shows how far a run is; where it has ended, the page is another one. */
function follow(node: HTMLElement, address: string): void {
  const events = new EventSource(address);
  events.addEventListener("progress", (event) => show(node, JSON.parse(event.data)));
  events.addEventListener("end", () => {
    events.close();
    location.reload();
  });
}

interface Progress {
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

function show(node: HTMLElement, { done, total, text }: Progress): void {
  const bar = node.querySelector("progress");
  const words = node.querySelector("span");
  if (!bar || !words) return;
  bar.max = Math.max(1, total);
  bar.value = done;
  if (words.textContent !== text) words.textContent = text;
}
