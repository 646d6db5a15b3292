import type { Element } from "../html/tree.ts";
import { ReadProblem } from "../reader.ts";
import { createStory } from "../word/story.ts";
import { walkXml } from "../xml/walk.ts";

/** Paragraphs kept of one chart or diagram. */
const MAX_PARAGRAPHS = 2000;

/** The words of a chart or a diagram: what is written in it, the names of its series and of its categories. */
export async function pictureWords(xml: string): Promise<Element> {
  const story = createStory();
  let paragraphs = 0;
  let named = 0;
  let inText = false;
  const end = (): void => {
    if (paragraphs++ < MAX_PARAGRAPHS) story.endParagraph({ kind: "text" });
  };
  try {
    await walkXml(xml, {
      open(name) {
        if (name === "tx" || name === "cat") named++;
        inText = paragraphs < MAX_PARAGRAPHS && (name === "t" || (name === "v" && named > 0));
      },
      text(text) {
        if (inText) story.text(text);
      },
      close(name) {
        inText = false;
        if (name === "tx" || name === "cat") named--;
        if (name === "p" || name === "v") end();
      },
    });
  } catch (error) {
    // Words of a picture that is damaged are worth having up to there.
    if (!(error instanceof ReadProblem)) throw error;
  }
  return story.finish();
}
