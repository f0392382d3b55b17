import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "@typescript/typescript6";

/** The page of what the library exports beside types, made from their docstrings; `npm run docs` writes it. */
export function libraryPage(root) {
  const index = parse(join(root, "src/index.ts"));
  const rows = index.statements.flatMap((statement) => exportsOf(statement, index.fileName));
  const sections = rows.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(section);
  return `${head}${sections.join("\n")}`;
}

const head = `# The library: reference

Everything that the package exports beside types, from its docstring; \`npm run docs\` writes this page. Types are in the package's
\`index.d.ts\`. [The library](library.md) begins with an example.

`;

const parsed = new Map();

function parse(file) {
  if (!parsed.has(file))
    parsed.set(file, ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ESNext, true));
  return parsed.get(file);
}

function exportsOf(statement, file) {
  if (ts.isVariableStatement(statement) && isExported(statement))
    return [{ name: nameOf(statement), declaration: statement }];
  if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return [];
  return (statement.exportClause?.elements ?? [])
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ name, propertyName }) => ({
      name: name.text,
      declaration: declared((propertyName ?? name).text, fileOf(statement, file)),
    }));
}

const isExported = ({ modifiers = [] }) => modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

const fileOf = ({ moduleSpecifier }, file) => join(dirname(file), moduleSpecifier.text);

/** The declaration of a name, also one that a file exports from another. */
function declared(name, file) {
  const { statements } = parse(file);
  const own = statements.find((each) => isDeclaration(each) && nameOf(each) === name);
  if (own) return own;
  for (const statement of statements.filter((each) => ts.isExportDeclaration(each) && each.moduleSpecifier)) {
    const found = statement.exportClause?.elements?.find((each) => each.name.text === name);
    if (found) return declared((found.propertyName ?? found.name).text, fileOf(statement, file));
  }
  throw new Error(`${file} has no ${name}`);
}

const isDeclaration = (each) =>
  (ts.isFunctionDeclaration(each) && each.body) || ts.isClassDeclaration(each) || ts.isVariableStatement(each);

const variableOf = ({ declarationList }) => declarationList.declarations[0];

const nameOf = (each) => (ts.isVariableStatement(each) ? variableOf(each) : each).name.text;

function section({ name, declaration }) {
  return `## ${name}\n\n\`\`\`ts\n${signatureOf(name, declaration)}\n\`\`\`\n\n${docOf(declaration)}\n`;
}

function signatureOf(name, declaration) {
  if (ts.isClassDeclaration(declaration)) return `class ${name} ${declaration.heritageClauses[0].getText()}`;
  if (ts.isVariableStatement(declaration)) return `${name}: ${variableOf(declaration).type.getText()}`;
  const { parameters, type } = declaration;
  const given = parameters.map((each) => `  ${parameterText(each)},\n`).join("");
  return `${name}(${given && `\n${given}`}): ${type.getText()}`;
}

/** A parameter that is taken apart is named by its type. */
function parameterText({ name, type, initializer, questionToken, dotDotDotToken }) {
  const written = type?.getText().replace(/\s+/g, " ") ?? typeof JSON.parse(initializer.getText());
  const label = ts.isIdentifier(name) ? name.text : "options";
  return `${dotDotDotToken ? "..." : ""}${label}${initializer || questionToken ? "?" : ""}: ${written}`;
}

function docOf({ jsDoc = [] }) {
  const text = jsDoc.at(-1)?.getText() ?? "";
  const lines = text.replace(/^\/\*\*|\*\/$/g, "").split("\n");
  return lines
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .trim()
    .replace(/\{@link (\w+)\}/g, "`$1`")
    .replace(/@throws/g, "**Throws**")
    .replaceAll("(docs/", "(");
}
