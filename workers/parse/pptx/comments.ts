import { oneLine, type SlideComment } from "../slides/slide.ts";
import { childElements, descend, elementsNamed, type XmlElement, xmlText } from "../xml/tree.ts";
import type { OfficePackage } from "./package.ts";
import { bodyText } from "./paragraphs.ts";

/** Id → name of who wrote comments. */
export async function commentAuthors(office: OfficePackage): Promise<ReadonlyMap<string, string>> {
  const authors = new Map<string, string>();
  for (const part of office.partNames.filter((name) =>
    /(?:^|\/)(?:commentAuthors|authors)\.xml$/i.test(name),
  )) {
    const tree = await office.tree(part);
    for (const element of tree === null
      ? []
      : elementsNamed(tree.root, "cmAuthor").concat(elementsNamed(tree.root, "author"))) {
      const { id, name } = element.attributes;
      if (id !== undefined && name !== undefined) authors.set(id, oneLine(name));
    }
  }
  return authors;
}

/** Comments of either generation, replies behind what they answer. `root` is their part. */
export function commentsOf(root: XmlElement, authors: ReadonlyMap<string, string>): SlideComment[] {
  return elementsNamed(root, "cm").flatMap((comment) => [
    ...commentOf(comment, authors),
    ...elementsNamed(comment, "reply").flatMap((reply) => commentOf(reply, authors)),
  ]);
}

function commentOf(element: XmlElement, authors: ReadonlyMap<string, string>): SlideComment[] {
  const plain = childElements(element, "text").map(xmlText).join(" ");
  const text = oneLine(plain === "" ? bodyText(descend(element, "txBody")) : plain);
  return text === "" ? [] : [{ author: authors.get(element.attributes["authorId"] ?? "") ?? null, text }];
}
