import { expect, test } from "vitest";
import { addressMatcher, targetFault } from "../../src/model/address.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";

test.each([
  ["*:license/*", "a/b:license/GPL/LGPL v2+", true],
  ["*:license/*", "a/b:license/..", true],
  ["*:license/*", "a/b:license/.", true],
  ["*:license/*", "a/b:license/two\nlines", true],
  ["*:license/*", "a/b:integration/irc-gateway", false],
  ["a/b:license/bsd (3-clause)", "A/B:license/BSD (3-Clause)", true],
  ["a/b:license/C++ [x]", "a/b:license/C++ [x]", true],
  ["a/*:license/A:B", "a/b/c:license/a:b", true],
  ["a/b", "a/b:license/MIT", true],
  ["a/b", "a/bc:license/MIT", false],
  ["a/b:license/..", "a/b:license/..", true],
  ["a/b:license/x", "a/b:license/..", false],
  ["", "a/b:license/x", false],
  [":license/*", "a/b:license/x", false],
  ["a/b:", "a/b:license/x", false],
  ["*:variable/DEPLOY@*", "a/b:variable/DEPLOY@production", true],
  ["*:variable/DEPLOY@*", "a/b:variable/DEPLOY", true],
  ["*:variable/DEPLOY@*", "a/b:variable/DEPLOYER", false],
  ["*:variable/DEPLOY@p*", "a/b:variable/DEPLOY", false],
  ["*:label/a\\@*", "a/b:label/a", false],
  ["*:label/a\\@*", "a/b:label/a@b", true],
])("%s against %j: %s", (glob, address, expected) => {
  expect(addressMatcher(glob)(address)).toBe(expected);
});

test.each([
  ["a/b:licence/MIT", "a/b:license/MIT"],
  ["a/*:Integratoin/irc*", "a/*:integration/irc*"],
  ["a/b:license", "a/b:license/*"],
  ["a/b:", "a/b:integration/*"],
])("%s is no address, as %s is", (glob, shown) => {
  expect(targetFault(glob, catalogueOf())).toBe(`the address of a resource, such as ${shown}`);
});

test.each(["a/b", "a/b:*", "a/b:LICENSE/MIT", "*:*/MIT", "storage:nfs-1/projects", "*:nfs-1/projects"])(
  "%s may be one",
  (glob) => {
    expect(targetFault(glob, catalogueOf())).toBeUndefined();
  },
);
