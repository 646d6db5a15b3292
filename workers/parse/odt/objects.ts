import type { Archive } from "../archive/zip.ts";
import type { Element } from "../html/tree.ts";
import { ReadProblem } from "../reader.ts";
import { createStory } from "../word/story.ts";
import { walkXml } from "../xml/walk.ts";

/** Formulas, charts and tables that are embedded in an OpenDocument text. */
export interface EmbeddedObjects {
  /** Texts of formulas by the folder of each. */
  readonly formulas: ReadonlyMap<string, string>;
  /** Words of all others. */
  readonly pictures: readonly Element[];
}

const objectPart = /^(Object[^/]*)\/content\.xml$/;
const MAX_OBJECTS = 1000;
/** Paragraphs kept of one object. */
const MAX_PARAGRAPHS = 2000;

/** One that is damaged gives what could be read. */
export async function readObjects(archive: Archive): Promise<EmbeddedObjects> {
  const formulas = new Map<string, string>();
  const pictures: Element[] = [];
  const parts = archive.names.filter((name) => objectPart.test(name)).slice(0, MAX_OBJECTS);
  for (const part of parts) {
    try {
      const { formula, words } = await readObject((await archive.text(part)) ?? "<none/>");
      if (formula !== "") formulas.set(objectPart.exec(part)?.[1] ?? "", formula);
      else if (words.children.length > 0) pictures.push(words);
    } catch (error) {
      // The text around it is what people look for.
      if (!(error instanceof ReadProblem) || error.failure === "too_complex") throw error;
    }
  }
  return { formulas, pictures };
}

async function readObject(xml: string): Promise<{ formula: string; words: Element }> {
  const story = createStory();
  const formula: string[] = [];
  let annotated = false;
  let paragraphs = 0;
  let open = 0;
  await walkXml(xml, {
    open(name) {
      if (name === "annotation") annotated = true;
      else if (name === "p") open++;
    },
    text(text) {
      if (annotated) formula.push(text);
      else if (open > 0 && paragraphs < MAX_PARAGRAPHS) story.text(text);
    },
    close(name) {
      if (name === "annotation") annotated = false;
      if (name !== "p") return;
      open--;
      paragraphs++;
      story.endParagraph({ kind: "text" });
    },
  });
  return { formula: formula.join("").replaceAll(/\s+/g, " ").trim(), words: story.finish() };
}
