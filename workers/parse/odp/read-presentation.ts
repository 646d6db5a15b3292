import type { ParsedFile, ReadInput } from "../reader.ts";
import { deckFile } from "../slides/deck.ts";
import { oneLine, type Slide } from "../slides/slide.ts";
import { descend, elementsNamed, type XmlElement, xmlText } from "../xml/tree.ts";
import { attribute } from "../xml/walk.ts";
import { objectsIn } from "./objects.ts";
import { documentFacts, openFlat, openPackage } from "./open-document.ts";
import { type PageContext, pageTexts } from "./page.ts";
import { listStylesIn } from "./text.ts";

/** @throws ReadProblem when there is nothing to read in it. */
export async function readPresentation(input: ReadInput): Promise<ParsedFile> {
  const document = await (input.text === null ? openPackage(input.bytes) : openFlat(input.text.text));
  const roots = [document.content, ...(document.styles === null ? [] : [document.styles])];
  const objects = await objectsIn(document);
  input.signal?.throwIfAborted();
  const context: PageContext = {
    styles: listStylesIn(roots),
    object: (object) => objects.get(object) ?? [],
  };
  const masters = masterTexts(roots, context);
  const styles = pageStyles(roots);
  const [body] = elementsNamed(document.content, "presentation");
  const pages = body === undefined ? [] : elementsNamed(body, "page");
  const footers = body === undefined ? new Map<string, string>() : footersIn(body);
  const slides = pages.map((page, index): Slide => {
    const style = styles.get(attribute(page.attributes, "style-name") ?? "");
    const texts = pageTexts(page, context);
    return {
      ...texts,
      number: index + 1,
      hidden: style?.hidden ?? false,
      section: null,
      footers: [
        ...(style?.footer === false
          ? []
          : [footers.get(attribute(page.attributes, "use-footer-name") ?? "") ?? ""]),
        ...(masters.get(attribute(page.attributes, "master-page-name") ?? "") ?? []),
      ],
    };
  });
  const { title, metadata } = documentFacts(document.meta);
  return deckFile(
    {
      slides,
      slideCount: pages.length,
      title,
      metadata,
      warnings: document.warnings,
      children: [],
    },
    input.limits,
  );
}

interface PageStyle {
  readonly hidden: boolean;
  readonly footer: boolean;
}

function pageStyles(roots: readonly XmlElement[]): Map<string, PageStyle> {
  const styles = new Map<string, PageStyle>();
  for (const style of roots.flatMap((root) => elementsNamed(root, "style"))) {
    const properties = descend(style, "drawing-page-properties")?.attributes;
    if (properties === undefined) continue;
    styles.set(attribute(style.attributes, "name") ?? "", {
      hidden: attribute(properties, "visibility") === "hidden",
      footer: attribute(properties, "display-footer") !== "false",
    });
  }
  return styles;
}

/** Name of a master page → the texts that stand on each page made from it. */
function masterTexts(roots: readonly XmlElement[], context: PageContext): Map<string, string[]> {
  const masters = new Map<string, string[]>();
  for (const master of roots.flatMap((root) => elementsNamed(root, "master-page"))) {
    const { blocks } = pageTexts(master, context, true);
    const texts = blocks.flatMap((block) =>
      block.kind === "paragraphs" ? block.paragraphs.map(({ text }) => oneLine(text)) : [],
    );
    masters.set(attribute(master.attributes, "name") ?? "", texts);
  }
  return masters;
}

/** Name of a declared footer → its text. */
function footersIn(body: XmlElement): Map<string, string> {
  return new Map(
    elementsNamed(body, "footer-decl").map((declared) => [
      attribute(declared.attributes, "name") ?? "",
      oneLine(xmlText(declared)),
    ]),
  );
}
