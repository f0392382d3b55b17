import { type CliCommand, commands, type Flag, groups } from "../../src/commands/command.ts";

const head = `# Commands

Every command of \`evenkeel\`, generated from the table behind its help and shell completion. \`npm run docs\` writes this
page, and a test fails if it is out of date.`;

/** `docs/commands.md`: what \`-h\` shows, on one page. */
export function commandsPage(): string {
  const shown = commands.filter(({ hidden }) => !hidden);
  const contents = shown
    .map(({ name, summary }) => `- [\`${name}\`](#evenkeel-${anchor(name)}): ${summary}`)
    .join("\n");
  return `${[head, contents, ...shown.map(section)].join("\n\n")}\n`;
}

function anchor(name: string): string {
  return name.replaceAll(" ", "-");
}

function section({ name, arguments: given = "", summary, examples, flags }: CliCommand): string {
  const [group = ""] = name.split(" ");
  const about = name.includes(" ") && groups[group] ? ` (\`${group}\`: ${groups[group]})` : "";
  const usage = ["evenkeel", name, given, ...(flags.length > 0 ? ["[options]"] : [])].filter(Boolean).join(" ");
  const lines = examples.map(([line, meaning]) => `    # ${meaning}\n    ${line}`).join("\n\n");
  return [`## evenkeel ${name}`, `${capital(summary)}${about}.`, `    ${usage}`, "Examples:", lines, table(flags)]
    .filter(Boolean)
    .join("\n\n");
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function table(options: readonly Flag[]): string {
  if (options.length === 0) return "";
  return ["| option | |", "|---|---|", ...options.map(row)].join("\n");
}

function row({ flags, description, choices, default: standard }: Flag): string {
  const more = [
    ...(choices ? [`one of ${choices.map(code).join(", ")}`] : []),
    ...(standard === undefined ? [] : [`default ${code(standard)}`]),
  ];
  const text = [description, ...more].join("; ").replaceAll("|", "\\|");
  return `| ${code(flags)} | ${text} |`;
}

function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
