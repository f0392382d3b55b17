import { type GlobPart, type GlobRules, partsOf, type Test } from "./glob-parts.ts";

/** Whether a glob can match a text that consists of these characters. */
export function matchesWithin(glob: string, rules: GlobRules, characters: string): boolean {
  return isWithin(partsOf(glob, rules), anyOf(characters));
}

/** Whether a glob can match a text of both sets of characters with at least one of `others`. */
export function matchesBeyond(glob: string, rules: GlobRules, characters: string, others: string): boolean {
  return isBeyond(partsOf(glob, rules), anyOf(characters + others), anyOf(others));
}

type Question = (test: Test) => boolean;

function anyOf(characters: string): Question {
  const each = [...new Set(characters)];
  return (test) => each.some((character) => test(character, false));
}

function isWithin(parts: readonly GlobPart[], takes: Question): boolean {
  return parts.every((part) => {
    if (part.form === "either") return part.choices.some((choice) => isWithin(choice, takes));
    return part.form === "many" || takes(part.test);
  });
}

function isBeyond(parts: readonly GlobPart[], takes: Question, takesOther: Question): boolean {
  const goesBeyond = parts.some((part) => {
    if (part.form === "either") return part.choices.some((choice) => isBeyond(choice, takes, takesOther));
    return takesOther(part.test);
  });
  return goesBeyond && isWithin(parts, takes);
}
