import { describe, test } from "vitest";
import { checkBoth, declaredKinds, lawfulKinds } from "./kind-laws.ts";
import { law, withoutPauses } from "./stage.ts";

withoutPauses();

describe.each(lawfulKinds)("%s", (_, kind) => {
  test("plan after apply is empty, whatever was there before, and no secret is shown", async () => {
    const declared = declaredKinds([kind]);
    await law(1, [declared, declared], (first, second) => checkBoth(first, second, { behaviour: "spec" }));
  });
});
