import { ReadProblem } from "../reader.ts";
import { titleFrom } from "../title.ts";
import { walkXml } from "../xml/walk.ts";

/** What a document says of itself. */
export interface WordProperties {
  readonly title: string | null;
  readonly metadata: Record<string, string>;
}

/** Elements of the properties of Office Open XML and of OpenDocument → the names they are kept under. */
const kept: ReadonlyMap<string, string> = new Map([
  ["initial-creator", "author"],
  ["creator", "author"],
  ["lastModifiedBy", "lastModifiedBy"],
  ["creation-date", "created"],
  ["created", "created"],
  ["date", "modified"],
  ["modified", "modified"],
  ["language", "language"],
  ["subject", "subject"],
  ["keywords", "keywords"],
  ["keyword", "keywords"],
  ["category", "category"],
  ["description", "description"],
]);
/** Values that are looked at; longer ones are cut by what makes titles of them. */
const MAX_VALUES = 200;
/** Titles that programs write when their user gave none. */
const poorTitle =
  /^(?:untitled|(?:no )?title|document\d*|word document|normal|microsoft word\b.*|.*\.(?:docx?|dotx?|odt|rtf|tmp))$/i;

/** Properties that can't be read are no reason to lose the document: then there are none. */
export async function readProperties(xml: string | null): Promise<WordProperties> {
  const metadata: Record<string, string> = {};
  let title: string | null = null;
  let values = 0;
  let pieces: string[] = [];
  try {
    await walkXml(xml ?? "<none/>", {
      open: () => (pieces = []),
      text: (text) => pieces.push(text),
      close(name) {
        const key = kept.get(name);
        if ((key === undefined && name !== "title") || ++values > MAX_VALUES) return;
        const value = titleFrom(pieces.join(""));
        pieces = [];
        if (value === null) return;
        if (key === undefined) title ??= usableTitle(value);
        else metadata[key] = key === "keywords" && key in metadata ? `${metadata[key]}, ${value}` : value;
      },
    });
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
  }
  return { title, metadata };
}

/** Null for one that no person gave. */
export function usableTitle(title: string | null): string | null {
  return title === null || poorTitle.test(title) ? null : title;
}
