import { Document, isMap, type Node, YAMLSeq } from "yaml";
import { printable } from "../base/printable.ts";
import { asciiEscapes } from "../format/scalar.ts";
import type { LicensePolicy, LicensePolicyFile } from "./license-policies.ts";

/** The file as a security-policy project holds it in `.gitlab/security-policies/policy.yml`; remarks are comments. */
export function licensePolicyText({ section, policies, remarks }: LicensePolicyFile): string {
  const document = new Document({});
  const list = new YAMLSeq<Node>();
  for (const each of policies) list.items.push(nodeOf(document, each));
  document.set(section, list);
  document.commentBefore = comment([...remarks, names]);
  return asciiEscapes(document.toString({ lineWidth: 0, flowCollectionPadding: false })).trimEnd();
}

const names =
  "Servers match names of the SPDX list, such as MIT License: names that are not in it stay as manifests spell them";

function nodeOf(document: Document, { policy, projects, remarks }: LicensePolicy): Node {
  const node = document.createNode(policy);
  node.commentBefore = comment([`For ${projects.join(", ")}`, ...remarks]);
  const rules = isMap(node) ? node.get("rules") : undefined;
  if (rules instanceof YAMLSeq) for (const rule of rules.items) flow(rule);
  return node;
}

/** Short lists stand on one line. */
function flow(rule: unknown): void {
  if (!isMap(rule)) return;
  for (const { value } of rule.items) if (value instanceof YAMLSeq && value.items.length < 3) value.flow = true;
}

function comment(lines: readonly string[]): string {
  return lines.map((line) => ` ${printable(line)}`).join("\n");
}

/** The same for scripts. */
export function licensePolicyJson({ section, policies, remarks }: LicensePolicyFile): string {
  return JSON.stringify(
    { [section]: policies.map(({ policy }) => policy), remarks, policies: policies.map(reported) },
    null,
    2,
  );
}

function reported({ policy, projects, remarks }: LicensePolicy) {
  return { name: policy.name, projects, remarks };
}
