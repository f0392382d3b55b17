import { metricText } from "./prometheus.ts";

/** How a watcher fares, in numbers. Times are seconds since 1970; undefined before there was any. */
export interface WatchFigures {
  readonly server: string;
  readonly checks: Readonly<Record<string, number>>;
  readonly last: number | undefined;
  readonly now: number;
  readonly standby: boolean;
  readonly overdue: boolean;
}

/** Gauges and counters of a watcher, in the text format of Prometheus. */
export function watchMetrics({ server, checks, last, now, standby, overdue }: WatchFigures): string {
  const common = { command: "watch", server };
  const one = (name: string, help: string, value: number) => metricText({ name, help, samples: [[{}, value]] }, common);
  const counts = Object.entries(checks).map(([outcome, count]) => [{ outcome }, count] as const);
  const counter = {
    name: "watch_checks_total",
    help: "Checks of this process, by how they ended.",
    type: "counter",
  } as const;
  return [
    ...(counts.length > 0 ? [metricText({ ...counter, samples: counts }, common)] : []),
    ...(last === undefined ? [] : [one("watch_last_check_timestamp_seconds", "When the last check ended.", last)]),
    ...(last === undefined ? [] : [one("watch_last_check_age_seconds", "How long ago that was.", now - last)]),
    one("watch_standby", "Whether another process watches.", Number(standby)),
    one("watch_overdue", "Whether a check is overdue.", Number(overdue)),
  ].join("\n");
}
