import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import type { NotifyEvent } from "../manifest/notify.ts";
import type { ReportedProblem } from "../model/problem-line.ts";

/** A notification: its event, its text, and the addresses that it is about. */
export interface Notification {
  readonly event: NotifyEvent;
  /** A sentence without the workspace's name. */
  readonly headline: string;
  /** Details below the headline. */
  readonly lines: readonly string[];
  readonly addresses: readonly string[];
  /** The run that it is about; null if the state could not save it. */
  readonly run: string | null;
}

/** The counts of the fleet that each notification contains. */
export type Counts = Readonly<Record<"projects" | "drift" | "pending" | "problems", number>>;

/** The body of a notification (docs/watching.md). */
export interface MessageBody {
  readonly text: string;
  readonly workspace: string;
  readonly run: string | null;
  readonly event: NotifyEvent;
  readonly counts: Counts & { readonly addresses: number };
  readonly addresses: readonly string[];
}

const mostAddresses = 20;
const mostLines = 5;

export function messageBody(workspace: string, notification: Notification, counts: Counts): MessageBody {
  const { event, headline, addresses, run } = notification;
  const lines = [...notification.lines, ...addresses];
  const shown = lines.slice(0, mostLines).map((line) => `- ${inChat(line)}`);
  const more = lines.length > mostLines ? [`and ${lines.length - mostLines} more`] : [];
  const seen = run === null ? [] : [`Run ${run}`];
  return {
    text: [`${inChat(workspace)}: ${inChat(headline)}`, ...shown, ...more, ...seen].join("\n"),
    workspace,
    run,
    event,
    counts: { ...counts, addresses: addresses.length },
    addresses: addresses.slice(0, mostAddresses),
  };
}

/** Escapes foreign text for chat: no mentions, no links, no invisible characters. */
function inChat(text: string): string {
  const marks: Readonly<Record<string, string>> = { "<": "‹", ">": "›", "@": "＠", "&": "＆", "`": "'" };
  return printable(text)
    .replace(/[<>@&`]/g, (mark) => marks[mark] ?? mark)
    .replaceAll("](", "] (")
    .replaceAll("://", ": //");
}

/** Drift that was not notified yet. */
export function driftNotification(addresses: readonly string[], run: string | null): Notification {
  const verb = addresses.length === 1 ? "differs" : "differ";
  const headline = `drift: ${counted(addresses.length, "resource")} ${verb} from what was last applied`;
  return { event: "drift", headline, lines: [], addresses, run };
}

/** Resources that are in sync again, and problems that are resolved. */
export function recoveredNotification(
  addresses: readonly string[],
  problems: readonly string[],
  run: string | null,
): Notification {
  const resources = `${counted(addresses.length, "resource")} in sync again`;
  const gone = `${counted(problems.length, "problem")} gone`;
  const parts = [...(addresses.length > 0 ? [resources] : []), ...(problems.length > 0 ? [gone] : [])];
  return { event: "recovered", headline: `recovered: ${parts.join(", ")}`, lines: problems, addresses, run };
}

/** Problems that were not notified yet. */
export function failedNotification(problems: readonly ReportedProblem[], run: string | null): Notification {
  const headline = `failed: ${counted(problems.length, "problem")}`;
  return { event: "failed", headline, lines: problems.map(problemWords), addresses: [], run };
}

/** A problem in one line. */
export function problemWords({ file, line, project, message }: ReportedProblem): string {
  const where = file === undefined ? project : `${file}:${line}`;
  return where === undefined ? message : `${where}: ${message}`;
}

/** An apply of the watcher that guards, rules or missing approvals blocked. */
export function refusedNotification(
  objections: readonly string[],
  addresses: readonly string[],
  run: string | null,
  way: string,
): Notification {
  const headline = `blocked: nothing was applied${way}`;
  return { event: "refused", headline, lines: objections, addresses, run };
}

export function expiringNotification(messages: readonly string[], run: string | null): Notification {
  const headline = `expiring: ${counted(messages.length, "policy or exception", "policies or exceptions")}`;
  return { event: "expiring", headline, lines: messages, addresses: [], run };
}

/** The scheduled check is overdue. */
export function silentNotification(since: string, run: string | null): Notification {
  return { event: "silent", headline: `stalled: no check since ${since}`, lines: [], addresses: [], run };
}
