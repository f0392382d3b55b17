import type { Notify } from "../manifest/workspace.ts";
import type { MessageBody } from "./notification-texts.ts";

/** Hosts of webhooks of Microsoft Teams. */
const teamsHosts = /(?:^|\.)(?:webhook\.office\.com|logic\.azure\.com|powerplatform\.com|powerautomate\.com)$/;

export function takesCards({ format }: Pick<Notify, "format">, { hostname }: URL): boolean {
  return format === undefined ? teamsHosts.test(hostname) : format === "teams";
}

export function adaptiveCard({ text, counts, url }: Pick<MessageBody, "text" | "counts" | "url">): object {
  const [headline = "", ...lines] = text.split("\n").filter((line) => line !== url);
  const facts = Object.entries(counts).map(([title, value]) => ({ title, value: String(value) }));
  const block = { type: "TextBlock", wrap: true };
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      { ...block, text: headline, weight: "Bolder", size: "Medium" },
      // A line break of markdown.
      ...(lines.length > 0 ? [{ ...block, text: lines.join("\n\n") }] : []),
      { type: "FactSet", facts },
    ],
    ...(url !== undefined && { actions: [{ type: "Action.OpenUrl", title: "Open in the console", url }] }),
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
  return { type: "message", attachments: [attachment] };
}
