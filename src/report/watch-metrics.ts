import { metricText } from "./prometheus.ts";

/** How a watcher fares, in numbers. Times are seconds since 1970; undefined before there was any. */
export interface WatchFigures {
  readonly server: string;
  readonly looks: Readonly<Record<string, number>>;
  readonly last: number | undefined;
  readonly now: number;
  readonly standby: boolean;
  readonly overdue: boolean;
}

/** Gauges and counters of a watcher, in the text format of Prometheus. */
export function watchMetrics({ server, looks, last, now, standby, overdue }: WatchFigures): string {
  const common = { command: "watch", server };
  const one = (name: string, help: string, value: number) => metricText({ name, help, samples: [[{}, value]] }, common);
  const counts = Object.entries(looks).map(([outcome, count]) => [{ outcome }, count] as const);
  const counter = {
    name: "watch_looks_total",
    help: "Looks of this process, by how they ended.",
    type: "counter",
  } as const;
  return [
    ...(counts.length > 0 ? [metricText({ ...counter, samples: counts }, common)] : []),
    ...(last === undefined ? [] : [one("watch_last_look_timestamp_seconds", "When the last look ended.", last)]),
    ...(last === undefined ? [] : [one("watch_last_look_age_seconds", "How long ago that was.", now - last)]),
    one("watch_standby", "Whether another process watches.", Number(standby)),
    one("watch_overdue", "Whether a look is overdue.", Number(overdue)),
  ].join("\n");
}
