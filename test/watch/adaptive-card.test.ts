import { expect, test } from "vitest";
import { adaptiveCard, takesCards } from "../../src/watch/outbox.ts";

test("Teams gets an Adaptive Card with the text, the counts and a link", () => {
  const url = "https://console.example.com/runs/R";
  const counts = { projects: 2, drift: 1, pending: 0, problems: 0, addresses: 1 };
  const text = `payments: drift: 1 resource differs\n- a: b is c\n- d\n${url}`;
  const { attachments } = adaptiveCard({ text, counts, url }) as { attachments: readonly { content: object }[] };
  expect(attachments[0]?.content).toMatchObject({
    type: "AdaptiveCard",
    body: [
      { type: "TextBlock", text: "payments: drift: 1 resource differs", wrap: true },
      { type: "TextBlock", text: "- a: b is c\n\n- d" },
      { type: "FactSet", facts: expect.arrayContaining([{ title: "drift", value: "1" }]) },
    ],
    actions: [{ type: "Action.OpenUrl", title: "Open in the console", url }],
  });
});

test.each([
  [{}, "https://prod-01.westeurope.logic.azure.com/x", true],
  [{}, "https://chat.example.com/logic.azure.com", false],
  [{ format: "teams" as const }, "https://chat.example.com/", true],
  [{ format: "chat" as const }, "https://a.webhook.office.com/x", false],
])("a receiver %j at %s takes cards: %s", (to, url, expected) => {
  expect(takesCards(to, new URL(url))).toBe(expected);
});
