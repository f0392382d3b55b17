import { isObject } from "../../../../base/json.ts";
import { takeName } from "../../../../base/text-format.ts";
import { kindOf } from "../../../../model/kinds.ts";
import { kindWord, type Owner } from "../../../../model/owner.ts";
import type { Problem } from "../../../../model/types.ts";
import { draftsOf, withReferences } from "../../names.ts";
import { type Draft, type ImportedProject, ownerOfDraft } from "../../policy.ts";
import { type ForeignResource, translatorFor } from "../entries.ts";
import { kindInSection, type Marks, neededFields, renamedFields, rulesOf } from "../field-table.ts";
import {
  distinctEntries,
  distinctProblems,
  type ForeignChoice,
  type ForeignFile,
  type ForeignImport,
  type ForeignValue,
  notImported,
  type TranslatedEntry,
} from "../foreign.ts";
import { readConfiguration, type SectionTable } from "./configuration.ts";
import { faultsOf } from "./inherit.ts";
import { byPolicy, statementsOf } from "./policies.ts";
import {
  hasToBeAbsent,
  placeOf,
  placeOfFlag,
  type Statement,
  statedValues,
  titleOf,
  unnamedKeys,
  wrongFlag,
} from "./statement.ts";

export function importGitlabform(file: ForeignFile, choice: ForeignChoice): ForeignImport {
  const configuration = readConfiguration(file);
  const problems = [...configuration.problems, ...configuration.levels.flatMap(faultsOf)];
  if (problems.some(({ severity }) => severity === "error")) return { drafts: [], problems };
  const { statements, repeated, problems: unstated } = statementsOf(configuration);
  const stated = new Map([...statements, ...repeated].map((each) => [each, toStated(each, choice)]));
  const resources = [...stated.values()].flatMap(({ resource }) => resource ?? []);
  const translate = translatorFor(resources, choice);
  const translated = new Map<Statement, TranslatedEntry>();
  for (const [statement, { resource, ...more }] of stated) {
    const entry = resource ? withMore(translate(resource), more) : more;
    translated.set(statement, { ...entry, problems: [...entry.problems, ...unnamedKeys(statement, entry)] });
  }
  const policies = byPolicy(statements);
  const contents = policies.map((own) => {
    const entries = own.flatMap((each) => translated.get(each) ?? []);
    return distinctEntries(entries, choice.catalogue);
  });
  const drafts = createDrafts(policies, contents, choice);
  const again = repeated.flatMap((each) => translated.get(each) ?? []);
  const untranslated = distinctProblems([...contents.flat(), ...again].flatMap((each) => each.problems));
  return { drafts, problems: [...problems, ...unstated, ...untranslated] };
}

function withMore(translated: TranslatedEntry, { named = [], problems }: TranslatedEntry): TranslatedEntry {
  return {
    ...translated,
    ...(translated.named && { named: [...named, ...translated.named] }),
    problems: [...problems, ...translated.problems],
  };
}

/** `enforce: true` removes what the section does not list. */
const enforce = "enforce";

/** The resource of a statement, with a message for everything that no kind has. */
function toStated(
  statement: Statement,
  choice: ForeignChoice,
): TranslatedEntry & { readonly resource?: ForeignResource } {
  const { name, table, value } = statement;
  const title = titleOf(statement);
  const left = (why: string, place = placeOf(statement)) => ({
    problems: [notImported(place, `${title} is left out: ${why}`)],
  });
  const wrong = wrongFlag(statement);
  if (wrong !== undefined) return left(`expected ${wrong} to be true or false`, placeOfFlag(statement, wrong));
  const rule = name !== "" && !table.one ? rulesOf(table)[name] : undefined;
  if (rule?.left) return left(rule.left);
  if (!table.section) return left("gitlabform reads no such key");
  if (name === enforce && typeof value === "boolean")
    return { ...(value && { exclusive: table.section }), problems: [] };
  if (!isObject(value)) return left(name === enforce ? "expected true or false" : "expected a mapping of fields");
  const place = () => placeOf(statement);
  const body = new Map(statedValues(statement));
  if (table.key) body.set(table.key, { value: name, place });
  const kind = kindInSection(choice, table);
  const slug = kindOf(choice.catalogue, kind).keys && name;
  const unmarked = withoutMarks(table, title, body);
  const { fields, named, problems } = renamedFields(table, title, unmarked.fields);
  const resource = { kind, title, slug, isAbsent: hasToBeAbsent(statement), fields, needs: neededFields(table), place };
  return { resource, named: [...unmarked.named, ...named], problems: [...unmarked.problems, ...problems] };
}

function createDrafts(
  policies: ReturnType<typeof byPolicy>,
  contents: readonly (readonly TranslatedEntry[])[],
  choice: ForeignChoice,
): readonly Draft[] {
  const imported = policies.map(([{ key, owner, projects, except }], index): ImportedProject => {
    const of = contents[index] ?? [];
    return {
      project: { name: key.form === "common" ? "shared" : key.path },
      entries: of.flatMap(({ entry }) => entry ?? []),
      remarks: [],
      more: {
        projects,
        except: [...except].sort(),
        heading: key.form === "common" ? everywhere[owner] : [],
        disabled: of.flatMap(({ off }) => off ?? []),
        absent: of.flatMap(({ absent }) => absent ?? []),
        exclusive: [...new Set(of.flatMap(({ exclusive }) => exclusive ?? []))],
      },
    };
  });
  const taken = new Set<string>();
  return draftsOf(withReferences(imported, choice)).map((draft) => {
    const { name, entries, disabled = [], absent = [] } = draft;
    const [{ key, kind } = { key: "", kind: disabled[0] ?? "" }] = [...entries, ...absent];
    const title = `${name}${ownerOfDraft(draft) === "group" ? "-groups" : ""}`;
    const word = taken.has(title.toLowerCase()) ? `-${key || kindWord(kind)}` : "";
    return { ...draft, name: takeName(`${title}${word}`, taken) };
  });
}

const everywhere: Readonly<Record<Owner, readonly string[]>> = {
  project: [
    "For every project that the token sees. gitlabform leaves out archived projects, and those of users:",
    "add them to except where that matters.",
  ],
  group: ["For every group that the token sees."],
  instance: [],
};

/** Removes marks. Policies declare whole lists: without removed items, and not at all if existing items are kept. */
function withoutMarks(table: SectionTable, title: string, body: ReadonlyMap<string, ForeignValue>) {
  const fields = new Map(body);
  const named: string[] = [];
  const problems: Problem[] = [];
  for (const [name, rule] of Object.entries(rulesOf(table))) {
    const stated = body.get(name);
    const marks = rule?.marks;
    if (!marks || !stated || !Array.isArray(stated.value)) continue;
    if (stated.value.some((item) => isObject(item) && item[marks.kept] === true)) {
      fields.delete(name);
      named.push(name);
      const message = `${name} of ${title} is left out: ${marks.kept} keeps others, and policies state all of them`;
      problems.push(notImported(stated.place(), message));
    } else fields.set(name, { ...stated, value: stated.value.flatMap((item) => remaining(item, marks)) });
  }
  return { fields, named, problems };
}

/** `[]` for an item that is removed, or for a mark of the whole list. */
function remaining(item: unknown, { removed, kept }: Marks): readonly unknown[] {
  if (!isObject(item)) return [item];
  const [[name, marks] = ["", undefined], ...others] = Object.entries(item);
  if (others.length > 0) return [item];
  if (name === kept) return marks === false ? [] : [item];
  if (!isObject(marks) || Object.keys(marks).some((each) => each !== removed)) return [item];
  if (marks[removed] === true) return [];
  return marks[removed] === false || marks[removed] === undefined ? [name] : [item];
}
