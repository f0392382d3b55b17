import fc from "fast-check";
import { describe, test } from "vitest";
import {
  checkBoth,
  checkCut,
  checkOrder,
  creatingKinds,
  type Declared,
  declaredCreations,
  declaredKinds,
  lawfulKinds,
} from "./kind-laws.ts";
import { law, withoutPauses } from "./stage.ts";

withoutPauses();

const everyKind = declaredKinds(lawfulKinds.map(([, kind]) => kind));
const settings = [
  ["spec", false],
  ["spec", true],
  ["observed", true],
] as const;

describe.each(settings)("behaviour %s, ledger %s", (behaviour, ledger) => {
  test("of all kinds together, plan after apply is empty, and no secret is shown", async () => {
    await law(2, [everyKind, everyKind], (first, second) => checkBoth(first, second, { behaviour, ledger }));
  });

  test("cut off at any request, in the middle of a replacement too, it converges when it is run again", async () => {
    await law(3, [everyKind, everyKind, fc.nat(150)], (first, second, cut) =>
      checkCut(first, second, cut, { behaviour, ledger }),
    );
  });
});

test("of all kinds together, the order of keys, documents and files does not matter", async () => {
  await law(3, [everyKind, everyKind, fc.integer({ min: 1, max: 1e6 })], (first, second, arrangement) =>
    checkOrder(first, second, arrangement, { behaviour: "spec", ledger: true }),
  );
});

const single: readonly (readonly [name: string, declared: fc.Arbitrary<Declared>])[] = [
  ...lawfulKinds.map(([name, kind]) => [name, declaredKinds([kind])] as const),
  ...creatingKinds.map(([name, kind]) => [name, declaredCreations([kind])] as const),
  ["all that policies create", declaredCreations(creatingKinds.map(([, kind]) => kind))],
];

describe.each(single)("%s", (_, declared) => {
  test("plan after apply is empty, whatever was there before, and no secret is shown", async () => {
    await law(1, [declared, declared], (first, second) => checkBoth(first, second, { behaviour: "spec" }));
  });

  test("cut off at any request, in the middle of a replacement too, it converges when it is run again", async () => {
    await law(5, [declared, declared, fc.nat(25)], (first, second, cut) =>
      checkCut(first, second, cut, { behaviour: "spec" }),
    );
  });
});
