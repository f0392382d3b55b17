import type { ASTNode } from "@marcbachmann/cel-js";
import { childrenOf } from "./cost.ts";

/** A member that an expression reads of one of its names, such as `active` of `before`. */
export interface MemberRead {
  readonly of: string;
  readonly name: string;
}

/** The members that an expression reads of its names by a dot. */
export function membersIn(node: ASTNode): readonly MemberRead[] {
  const inside = childrenOf(node).flatMap(membersIn);
  if (node.op !== "." && node.op !== ".?") return inside;
  const [object, name] = node.args;
  return object.op === "id" ? [{ of: object.args, name }, ...inside] : inside;
}
