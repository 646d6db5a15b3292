import type { Archive } from "../archive/zip.ts";
import type { Element } from "../html/tree.ts";
import { type EmbeddedFile, type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { readProperties } from "../word/properties.ts";
import { element, MAX_BLOCKS, storyBudget, type StoryBudget } from "../word/story.ts";
import { type Remark, wordFile } from "../word/word-file.ts";
import { attribute } from "../xml/walk.ts";
import { openPackage, partsOfType, type WordPackage } from "./package.ts";
import { pictureWords } from "./picture-words.ts";
import type { StoryContext, WordStory } from "./story-frames.ts";
import { readNumbering } from "./numbering.ts";
import { readStyles } from "./styles.ts";
import { walkStories } from "./walk-story.ts";

/** Files in the document that are worth reading: what else is embedded are pictures and objects of old programs. */
const embedded = /\.(?:docx|docm|xlsx|xlsm|xlsb|pptx|pptm|odt|ods|odp|pdf|html?|mht|rtf|txt)$/i;
const MAX_CHILDREN = 50;

/** @throws ReadProblem. */
export async function readDocx(input: ReadInput, maxBlocks = MAX_BLOCKS): Promise<ParsedFile> {
  const word = await openPackage(input.bytes);
  const budget = storyBudget(maxBlocks);
  const reading = new DocxReading(word, budget);
  await reading.open();
  const body = await reading.body();
  input.signal?.throwIfAborted();
  const headers = await reading.stories("header", /^header\d*\.xml$/);
  const notes = await reading.notes();
  const comments = await reading.comments();
  const footers = await reading.stories("footer", /^footer\d*\.xml$/);
  const pictures = await reading.pictures();
  const core = await reading.text(corePart(word));
  const { title, metadata } = await readProperties(core);
  return wordFile({
    title,
    metadata,
    body,
    headers: headers.map(({ root }) => root),
    footers: footers.map(({ root }) => root),
    notes,
    comments,
    pictures,
    budget,
    warnings: reading.warnings,
    children: reading.children(),
    pictureCount: word.archive.names.filter((name) => name.includes("/media/")).length,
  });
}

function corePart({ archive }: WordPackage): string {
  return archive.names.find((name) => /^docProps\/core\d*\.xml$/i.test(name)) ?? "docProps/core.xml";
}

/** One document being read: what is damaged is left out with a warning. */
class DocxReading {
  readonly warnings: string[] = [];
  readonly #word: WordPackage;
  readonly #archive: Archive;
  /** Notes in the order in which the text refers to them: "footnote 7". */
  readonly #noteNumbers = new Map<string, number>();
  readonly #budget: StoryBudget;
  #context: StoryContext | null = null;

  constructor(word: WordPackage, budget: StoryBudget) {
    this.#word = word;
    this.#budget = budget;
    this.#archive = word.archive;
  }

  async open(): Promise<void> {
    const styles = await this.#xmlOf("styles", /^styles\.xml$/);
    const numbering = await this.#xmlOf("numbering", /^numbering\.xml$/);
    this.#context = {
      styles: await this.#sound(
        () => readStyles(styles),
        () => readStyles("<none/>"),
      ),
      numbering: await this.#sound(
        () => readNumbering(numbering),
        () => readNumbering("<none/>"),
      ),
      budget: this.#budget,
      noteNumber: (kind, id) => {
        const key = `${kind} ${id}`;
        const number = this.#noteNumbers.get(key) ?? this.#noteNumbers.size + 1;
        this.#noteNumbers.set(key, number);
        return number;
      },
    };
  }

  async body(): Promise<Element> {
    const { main } = this.#word;
    const xml = (await this.#archive.text(main)) ?? "";
    const { stories, problem } = await walkStories(xml, this.#stories(), null);
    const body = stories[0]?.root ?? element("#root");
    if (problem !== null) {
      if (body.children.length === 0) throw problem;
      this.warnings.push(`The document is damaged and was read up to there: ${problem.message}`);
    }
    return body;
  }

  async stories(type: string, usual: RegExp, each: string | null = null): Promise<readonly WordStory[]> {
    const found: WordStory[] = [];
    for (const part of partsOfType(this.#word, type, usual)) {
      const xml = await this.text(part);
      if (xml === null) continue;
      const { stories, problem } = await walkStories(xml, this.#stories(), each);
      found.push(...stories);
      if (problem !== null) this.warnings.push(`${part} was read in part: ${problem.message}`);
    }
    return found;
  }

  /** In the order of their numbers; one that nothing refers to is seen by nobody. */
  async notes(): Promise<Remark[]> {
    const notes: { number: number; root: Element }[] = [];
    for (const kind of ["footnote", "endnote"]) {
      for (const { attributes, root } of await this.stories(
        `${kind}s`,
        new RegExp(`^${kind}s\\.xml$`),
        kind,
      )) {
        const number = this.#noteNumbers.get(`${kind} ${attribute(attributes, "id") ?? ""}`);
        if (number !== undefined) notes.push({ number, root });
      }
    }
    notes.sort((one, other) => one.number - other.number);
    return notes.map(({ number, root }) => ({ mark: `[${number}]`, root }));
  }

  async comments(): Promise<Remark[]> {
    const stories = await this.stories("comments", /^comments\.xml$/, "comment");
    return stories.map(({ attributes, root }) => {
      const author = attribute(attributes, "author")?.trim() ?? "";
      return { mark: author === "" ? "Comment:" : `Comment by ${author}:`, root };
    });
  }

  async pictures(): Promise<Element[]> {
    const found: Element[] = [];
    for (const type of ["chart", "chartEx", "diagramData"]) {
      for (const part of partsOfType(this.#word, type, /^$/)) {
        const xml = await this.text(part);
        if (xml !== null) found.push(await pictureWords(xml));
      }
    }
    return found;
  }

  /** Null, with a warning, for an entry that is damaged. */
  async text(part: string): Promise<string | null> {
    try {
      return await this.#archive.text(part);
    } catch (error) {
      if (!(error instanceof ReadProblem)) throw error;
      this.warnings.push(`${part} could not be read: ${error.message}`);
      return null;
    }
  }

  children(): EmbeddedFile[] {
    const children: EmbeddedFile[] = [];
    for (const type of ["package", "oleObject", "aFChunk"]) {
      for (const part of partsOfType(this.#word, type, /^$/)) {
        if (!embedded.test(part) || children.length >= MAX_CHILDREN) continue;
        try {
          const bytes = this.#archive.bytes(part);
          if (bytes !== null) children.push({ name: part.slice(part.lastIndexOf("/") + 1), bytes });
        } catch (error) {
          if (!(error instanceof ReadProblem)) throw error;
          this.warnings.push(`${part} could not be read: ${error.message}`);
        }
      }
    }
    return children;
  }

  #stories(): StoryContext {
    if (this.#context === null) throw new TypeError("the styles were not read yet");
    return this.#context;
  }

  async #xmlOf(type: string, usual: RegExp): Promise<string> {
    const [part] = partsOfType(this.#word, type, usual);
    return (part === undefined ? null : await this.text(part)) ?? "<none/>";
  }

  /** Damaged styles cost headings and lists, not the text. */
  async #sound<T>(read: () => Promise<T>, otherwise: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ReadProblem)) throw error;
      return otherwise();
    }
  }
}
