import type { Node } from "web-tree-sitter";
import { clusterEdgeBefore } from "../../chunk/graphemes.ts";
import { wellFormed } from "../clean-text.ts";

const MAX_LENGTH = 120;
/** Characters of the file that a name is made of at most. */
const MAX_SOURCE = 4 * MAX_LENGTH;
/** Declarators of C are nested: `*(*f)(int)`. */
const MAX_DECLARATORS = 16;
/** Types of nodes that are a function's value. */
const functionValues: ReadonlySet<string> = new Set([
  "arrow_function",
  "function_expression",
  "function",
  "generator_function",
]);

/** The name that a symbol's node gives itself; null where it has none. */
export function nameOf(node: Node): string | null {
  if (node.type === "impl_item") return implName(node);
  const own = node.childForFieldName("name");
  if (own !== null) return shown(`${receiverOf(node)}${own.text.slice(0, MAX_SOURCE)}`);
  const declared = declaredName(node);
  if (declared !== null) return shown(declared.text.slice(0, MAX_SOURCE));
  return null;
}

/** C and C++: down the declarators to the identifier that is declared. */
function declaredName(node: Node): Node | null {
  let inner = node.childForFieldName("declarator");
  for (let depth = 0; inner !== null && depth < MAX_DECLARATORS; depth++) {
    const next = inner.childForFieldName("declarator") ?? declaratorIn(inner);
    if (next === null) return inner;
    inner = next;
  }
  return inner;
}

/** Declarators in parentheses and behind a reference have no field. */
function declaratorIn(node: Node): Node | null {
  if (node.type !== "parenthesized_declarator" && node.type !== "reference_declarator") return null;
  return node.lastNamedChild;
}

function implName(node: Node): string | null {
  const type = node.childForFieldName("type")?.text;
  const trait = node.childForFieldName("trait")?.text;
  return type === undefined ? null : shown(trait === undefined ? type : `${trait} for ${type}`);
}

/** Go's methods name the type they belong to in front. */
function receiverOf(node: Node): string {
  const receiver = node.type === "method_declaration" ? node.childForFieldName("receiver")?.text : undefined;
  const type =
    receiver === undefined ? undefined : /([\p{L}_][\p{L}\p{N}_]*)(?:\[[^\]]*\])?\s*\)$/u.exec(receiver)?.[1];
  return type === undefined ? "" : `${type}.`;
}

/** `name = () => …`, `name: function () …` and the like: the heading of a value that is a function or a class. */
export function valueHeading(node: Node): string | null {
  const value = node.childForFieldName("value") ?? node.childForFieldName("right");
  if (value === null) return null;
  const isClass = value.type === "class";
  if (!isClass && !functionValues.has(value.type)) return null;
  const target = ["name", "key", "property", "left"]
    .map((field) => node.childForFieldName(field))
    .find((child) => child !== null);
  const name = target === undefined ? null : shown(target.text.slice(0, MAX_SOURCE));
  if (name === null) return null;
  return isClass ? `class ${name}` : `${name}()`;
}

/** The name of a value of any kind; null for a pattern of several names. */
export function constantName(node: Node): string | null {
  const name = node.childForFieldName("name") ?? node.childForFieldName("left");
  return name !== null && /^(?:identifier|constant)$/.test(name.type)
    ? shown(name.text.slice(0, MAX_SOURCE))
    : null;
}

/** `describe("…", () => …)`, `it "…" do`: a call that is given a name and a function to run. */
export function callHeading(node: Node): string | null {
  const callee = node.childForFieldName("function") ?? node.childForFieldName("method");
  const given = node.childForFieldName("arguments");
  const label = given?.firstNamedChild ?? null;
  if (callee === null || given === null || label === null || !/^(?:template_)?string$/.test(label.type))
    return null;
  const runs =
    node.childForFieldName("block") !== null ||
    [given.namedChild(1), given.lastNamedChild].some(
      (child) => child !== null && functionValues.has(child.type),
    );
  if (!runs) return null;
  const called = callee.text.slice(0, MAX_SOURCE).split("(", 1)[0] ?? "";
  return shown(`${called}(${label.text.slice(0, MAX_SOURCE)})`);
}

function shown(name: string): string | null {
  const text = wellFormed(name).replaceAll(/\s+/g, " ").trim();
  if (text === "") return null;
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, clusterEdgeBefore(text, MAX_LENGTH - 1, 0))}…`;
}
