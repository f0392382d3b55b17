import { memoized } from "../../base/memoize.ts";
import type { Desired } from "../../model/types.ts";
import type { ProjectObservation } from "./looked-at.ts";
import type { Placing } from "./seen-entries.ts";

/** Marks what looks see of projects: the same number for the same, so that nearly all of a fleet is passed over. */
export function fingerprint(places: Placing): (looked: ProjectObservation) => number {
  const entryMark = memoized((desired: Desired) => {
    const { kind, key, presence, fields, origin } = desired;
    const place = places(desired);
    const where = [origin.policy, origin.file, place?.line, place?.column, origin.until, origin.reason].join("\0");
    return hashOf([kind, key, presence, JSON.stringify(fields), where].join("\0"));
  });
  return ({ project, desired = [], changes, unverified, unmanaged, problems }) => {
    const differences = changes?.map(({ address, action, reason, before, after }) => [
      address,
      action,
      reason,
      before,
      after,
    ]);
    const rest = JSON.stringify([project.name, project.id, differences, unverified, unmanaged, problems]);
    return desired.reduce((mark, each) => combine(mark, entryMark(each)), hashOf(rest));
  };
}

/** One mark of several, in their order. */
export function combine(mark: number, next: number): number {
  const low = Math.imul((mark >>> 0) ^ (next >>> 0), 0x9e3779b1) >>> 0;
  const high = (Math.imul(high32(mark) ^ low, 0x85ebca6b) ^ high32(next)) >>> 0;
  return joined(low ^ (high >>> 7), high);
}

/** 53 bits of a text: quick, and no secret depends on it. */
function hashOf(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x85ebca77);
    high = Math.imul(high ^ unit, 0xc2b2ae3d);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return joined(low, high);
}

function high32(mark: number): number {
  return Math.floor(mark / 0x1_0000_0000);
}

/** Never 0, which stands for no mark. */
function joined(low: number, high: number): number {
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0) || 1;
}
