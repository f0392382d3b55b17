import { InvalidArgumentError, Option } from "commander";
import { isDay } from "../base/day.ts";
import { durationOf } from "../manifest/duration.ts";
import { wavesIn } from "../manifest/waves.ts";
import { maxConcurrency } from "../model/max-concurrency.ts";
import type { Flag, OptionValues } from "./command.ts";

/** The option of the parser for a flag, whose value is checked as it is read. */
export function parsedOption({ flags, description, takes, choices, default: standard }: Flag): Option {
  const option = new Option(flags, description);
  if (takes) option.argParser(parsers[takes]);
  if (choices) option.choices(choices);
  if (standard !== undefined) option.default(takes ? parsers[takes](standard, undefined) : standard, takes && standard);
  return option;
}

const parsers: { readonly [Kind in keyof OptionValues]: (text: string, before: unknown) => OptionValues[Kind] } = {
  text: (text) => text,
  list: (text, before) => [...(Array.isArray(before) ? before : []), text],
  count: (text) => {
    if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("expected a whole number");
    return Number(text);
  },
  concurrency: (text) => {
    if (text === "auto") return maxConcurrency;
    if (!/^[1-9]\d{0,8}$/.test(text)) return refuseArgument("expected a whole number of at least 1, or auto");
    return Number(text);
  },
  duration: (text) => {
    const duration = durationOf(text) ?? refuseArgument("expected a duration such as 30s, 10m or 1h");
    return duration > 0 ? duration : refuseArgument("expected a duration greater than zero, such as 30s");
  },
  waves: (text) => {
    const read = wavesIn(text);
    return "waves" in read ? read.waves : refuseArgument(read.fault);
  },
  day: (text) => (isDay(text) ? text : refuseArgument("expected a date that exists, such as 2027-06-30")),
  shard: (text) => {
    if (text === "auto") return text;
    const [, index = "", total = ""] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
    const shard = { index: Number(index), total: Number(total) };
    if (shard.index >= 1 && shard.index <= shard.total) return shard;
    return refuseArgument("expected I/N, from 1/N to N/N, or auto");
  },
};

function refuseArgument(message: string): never {
  throw new InvalidArgumentError(message);
}
