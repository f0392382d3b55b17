import { describe, expect, it } from "vitest";
import { allowedSigners, peopleAmong } from "../../../src/plan/approvals/verify.ts";

const key = (name: string) => `ssh-ed25519 ${Buffer.from(name).toString("base64")}`;
const read = (...lines: string[]) => allowedSigners(lines.join("\n"), "evenkeel-plan");
const named = (...lines: string[]) => read(...lines).signers.map(({ name }) => name);

describe("people are told apart by the whole file", () => {
  const people = (signing: string, ...lines: string[]) => {
    const { signers } = read(...lines);
    const signed = signers.filter((signer) => [...signing].some((name) => signer.key === key(name)));
    return peopleAmong(signed, signers).length;
  };

  it.each([
    ["two names that a line without a signature joins", "12", 1, [`a ${key("1")}`, `b ${key("2")}`, `a,b ${key("3")}`]],
    ["one key under two names", "12", 1, [`b ${key("1")}`, `a ${key("1")}`, `a ${key("2")}`]],
    ["names with white space around them", "12", 1, [`"c, a" ${key("1")}`, `a ${key("2")}`]],
    ["names in another case", "12", 1, [`Ann@x ${key("1")}`, `ann@X ${key("2")}`]],
    ["names in two Unicode forms", "12", 1, [`jos\u00e9@x ${key("1")}`, `jose\u0301@x ${key("2")}`]],
    ["names in characters of another width", "12", 1, [`\uff41nn@x ${key("1")}`, `ann@x ${key("2")}`]],
    ["a name with a ligature", "12", 1, [`su\ufb03x@x ${key("1")}`, `suffix@x ${key("2")}`]],
    ["names with what nobody sees", "12", 1, [`a\u200bn\u00adn@x\ufeff ${key("1")}`, `ann@x\u2060 ${key("2")}`]],
    ["names with other spaces", "12", 1, [`"ann\u00a0 lee" ${key("1")}`, `"ann lee" ${key("2")}`]],
    ["names that upper case spells otherwise", "12", 1, [`\u212aim@x ${key("1")}`, `kim@x ${key("2")}`]],
    ["names with empty parts between commas", "12", 2, [`a, ${key("1")}`, `b,\u200b ${key("2")}`]],
    ["two names", "12", 2, [`a ${key("1")}`, `b ${key("2")}`, `c ${key("3")}`]],
  ])("%s", (_, signing, count, lines) => {
    expect(people(signing, ...lines)).toBe(count);
  });
});

it("a name that nobody sees is a fault", () => {
  expect(read(`\u200b ${key("1")}`)).toEqual({ signers: [], faults: [{ line: 1, message: expect.any(String) }] });
});

describe("options are those of OpenSSH", () => {
  it("a pattern that begins with ! excludes", () => {
    expect(named(`a namespaces="*,!evenkeel-plan" ${key("1")}`, `b namespaces="!git,*" ${key("2")}`)).toEqual(["b"]);
  });

  it("an option that is given twice is a fault", () => {
    const { faults } = read(`a valid-before="20200101",valid-before="20990101" ${key("1")}`);
    expect(faults).toEqual([{ line: 1, message: expect.stringContaining("given twice") }]);
  });
});
