/** How long ago requests count as late ones, in milliseconds. */
const lately = 15_000;
const shortest = 1000;

/** What the workers of a run send, by what each says now and then that it sent so far. Times are handed in. */
export class RequestRate {
  readonly #last = new Map<string, number>();
  #total = 0;
  #marks: { readonly at: number; readonly total: number }[] = [];

  /** What each member has sent so far; what was sent before the first look does not count. */
  record(counts: Iterable<readonly [string, number]>, now: number): void {
    const isFirst = this.#marks.length === 0;
    for (const [member, count] of counts) {
      if (!isFirst) this.#total += Math.max(0, count - (this.#last.get(member) ?? 0));
      this.#last.set(member, count);
    }
    this.#marks.push({ at: now, total: this.#total });
    while ((this.#marks[1]?.at ?? now) < now - lately) this.#marks.shift();
  }

  /** Since the first look. */
  get total(): number {
    return this.#total;
  }

  /** Requests in a second, of late; undefined where too little time has passed. */
  get perSecond(): number | undefined {
    const [first, last] = [this.#marks[0], this.#marks.at(-1)];
    if (!first || !last || last.at - first.at < shortest) return undefined;
    return ((last.total - first.total) * 1000) / (last.at - first.at);
  }
}
