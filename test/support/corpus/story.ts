import { createRandom } from "../random.ts";

/** What every format can hold in some way. Texts are one line, without white space at their edges. */
export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "code"; readonly lines: readonly string[] };

export interface Story {
  readonly blocks: readonly Block[];
  /** Words that stand once each, one in each block: a reader that loses one loses a block. */
  readonly marks: readonly string[];
}

const latin: readonly string[] =
  "river stone quietly under the old bridge and walks home again tomorrow".split(" ");
/** Scripts without spaces, combining marks, families of emoji, flags, letters from right to left. */
const others: readonly string[] = [
  "公司的请假流程是什么",
  "東京都の天気予報",
  "오늘 날씨가",
  "быстрая лиса",
  "नमस्ते दुनिया",
  "ภาษาไทยไม่มีช่องว่าง",
  "مرحبا بالعالم",
  "👨‍👩‍👧‍👦",
  "🇩🇪🇫🇷🇯🇵",
  "👍🏽",
  "e\u0301\u0323cole",
  "Größe",
  "R&D",
  "x < y",
];

/** What no cut may part, for runs without a space. */
const clusters: readonly string[] = ["👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "👍🏽", "e\u0301\u0323", "क्षि", "ที่นี่", "각각"];

/** A text of about `length` blocks. The same seed gives the same story; `ascii` for formats that are given no more. */
export function createStory(seed: number, length: number, ascii = false): Story {
  const random = createRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const marks: string[] = [];
  const mark = (): string => {
    const word = `mark${String.fromCharCode(97 + (marks.length % 26))}${seed}q${marks.length}`;
    marks.push(word);
    return word;
  };
  const words = (count: number): string =>
    Array.from({ length: count }, () => (!ascii && random() < 0.25 ? pick(others) : pick(latin))).join(" ");
  const marked = (count: number): string => `${pick(latin)} ${mark()} ${words(count)}`;
  const run = (): string => (ascii ? "longword" : pick(clusters)).repeat(20 + Math.floor(random() * 40));
  const makers: readonly (() => Block)[] = [
    () => ({ kind: "paragraph", text: marked(3 + Math.floor(random() * 120)) }),
    () => ({ kind: "paragraph", text: `${marked(2)} ${run()}` }),
    () => ({ kind: "list", items: [marked(4), words(6), marked(2)] }),
    () => ({
      kind: "table",
      rows: [
        ["Name", "What"],
        ...Array.from({ length: 2 + Math.floor(random() * 12) }, () => [words(1), marked(3)]),
      ],
    }),
    () => ({ kind: "code", lines: [`let ${mark()} = 1;`, "if (a) {", "  b();", "}"] }),
    () => ({ kind: "heading", level: pick([2, 3] as const), text: marked(2) }),
  ];
  const blocks: Block[] = [{ kind: "heading", level: 1, text: marked(2) }];
  while (blocks.length < length) blocks.push(pick(makers)());
  blocks.push({ kind: "paragraph", text: marked(5) });
  return { blocks, marks };
}

/** All lines of the story, for formats that know nothing else. */
export function linesOf({ blocks }: Story): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === "list") return [...block.items];
    if (block.kind === "table") return block.rows.map((cells) => cells.join(" "));
    return block.kind === "code" ? [...block.lines] : [block.text];
  });
}

/** Rows of two cells: one for each line of the story, with its number. */
export function rowsOf(story: Story): string[][] {
  return [["Number", "Text"], ...linesOf(story).map((line, index) => [String(index + 1), line])];
}

/** The story as pages, chapters, slides or messages: a new one at each heading. */
export function chaptersOf({ blocks }: Story): Block[][] {
  const chapters: Block[][] = [];
  for (const block of blocks) {
    if (block.kind === "heading" || chapters.length === 0) chapters.push([]);
    chapters.at(-1)?.push(block);
  }
  return chapters;
}
