import { ReadProblem } from "../reader.ts";

/** What a walk through an XML text meets, in document order. Names are as written but for the prefix: `w:p` is `p`. */
export interface XmlVisitor {
  /** `depth` is the number of elements around it. Attribute names keep their prefix. */
  open?(name: string, attributes: Readonly<Record<string, string>>, depth: number): void;
  /** Character data with entities decoded; one run may come in pieces. */
  text?(text: string): void;
  close?(name: string, depth: number): void;
}

/** Characters that are parsed at a time. */
const PIECE_LENGTH = 256 * 1024;
/** Elements nested deeper are not of a person's making. */
const MAX_DEPTH = 1000;
/** Each mistake costs as much as hundreds of characters: what is full of them is no XML. */
const MAX_MISTAKES = 10_000;
/** Mistakes that careless programs make and that leave no doubt about what was meant. */
const harmless: ReadonlySet<string> = new Set([
  "disallowed character.",
  "malformed character entity.",
  'the string "]]>" is disallowed in char data.',
  "text data outside of root node.",
  "an XML declaration must be at the start of the document.",
  "the XML declaration must appear at the start of the document.",
]);

/**
 * Walks through an XML text. Document type declarations define nothing here: no entity of theirs is expanded and nothing is
 * fetched. A mistake ends the walk, but for a few that do no harm: what came before it was visited.
 * @throws ReadProblem corrupt for text that is not well-formed, too_complex for one that is nested too deep.
 */
export async function walkXml(xml: string, visitor: XmlVisitor): Promise<void> {
  const { SaxesParser } = await import("saxes");
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  let mistakes = 0;
  parser.on("error", (error) => {
    if (harmless.has(error.message) && ++mistakes <= MAX_MISTAKES) return;
    throw new ReadProblem("corrupt", `Its XML is not well-formed (${error.message}).`);
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (depth >= MAX_DEPTH) throw new ReadProblem("too_complex", "Its XML is nested too deep.");
    visitor.open?.(localName(name), attributes, depth++);
  });
  const text = (piece: string): void => visitor.text?.(piece);
  parser.on("text", text);
  parser.on("cdata", text);
  parser.on("closetag", ({ name }) => visitor.close?.(localName(name), --depth));
  const settle = createSettling(parser as unknown as { readonly text: string });
  for (let at = 0; at < xml.length; at += PIECE_LENGTH) {
    parser.write(xml.slice(at, at + PIECE_LENGTH));
    settle();
  }
  parser.close();
}

/**
 * The parser adds a run of text up entity by entity, which takes ten times its memory until somebody looks at a character
 * of it. Done when it has grown by an eighth: the time stays linear.
 */
function createSettling(parser: { readonly text: string }): () => void {
  let settled = 0;
  return () => {
    const { text } = parser;
    settled = Math.min(settled, text.length);
    if (text.length < 1.125 * settled + PIECE_LENGTH) return;
    text.charCodeAt(0);
    settled = text.length;
  };
}

/** The value of an attribute, whatever its prefix. */
export function attribute(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  const exact = attributes[name];
  if (exact !== undefined) return exact;
  for (const key in attributes) if (key.endsWith(name) && localName(key) === name) return attributes[key];
  return undefined;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
