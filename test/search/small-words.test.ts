import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createReaders, type OpenIndex } from "../../workers/search/readers.ts";
import { askSmallWords, PHRASES_MOST } from "../../workers/search/ranking/small-words.ts";
import { createTokenizer } from "../../workers/search/tokenizer.ts";
import { understand } from "../../workers/search/understand.ts";
import { materialOf } from "../../workers/search/units.ts";
import { rankByWords, worthOfUnits } from "../../workers/search/ranking/word-lane.ts";
import { planQuery } from "../../workers/words/query.ts";
import { stopWords } from "../../workers/words/stop-words.ts";
import { buildIndex, type TestDocument, type TestIndex } from "../support/build-index.ts";
import { temporaryFolder } from "../support/temporary.ts";

const tokenizer = createTokenizer();

function openBase(documents: readonly TestDocument[]): OpenIndex {
  return openGrowing(documents).open;
}

function openGrowing(documents: readonly TestDocument[]): { open: OpenIndex; index: TestIndex } {
  const index = buildIndex(path.join(temporaryFolder(), "index.sqlite"));
  documents.forEach((document) => index.add(document));
  const readers = createReaders({ vectorCacheBytes: 1 << 20 });
  onTestFinished(() => {
    readers.closeAll();
    index.close();
  });
  return { open: readers.get({ baseId: "base", indexPath: index.path }), index };
}

/** Ids of documents, best first. */
function ranked(open: OpenIndex, query: string, phrases: string[] = []): string[] {
  return open.reader.snapshot(() => {
    open.postings.refresh();
    const units = understand(open, tokenizer, { query, phrases, excluded: [], model: null })?.units ?? [];
    return rankByWords(open, tokenizer, units, 50, null).map(({ number }) =>
      materialOf(open.reader, number)!,
    );
  });
}

/** Say all the words often, and apart from each other. */
const noise: TestDocument[] = Array.from({ length: 60 }, (_, n) => ({
  id: `noise-${n}`,
  title: `Minutes ${n}`,
  chunks: [
    `It may be, or it may not be: to those who will, who do, and who let others, it is what matters. Who would, will. ` +
      `What was to happen, happened; not a word, or two. Do as they do. Let them. Be brief. It is what number ${n} says.`,
  ],
}));
const wanted: TestDocument[] = [
  {
    id: "hamlet",
    title: "A play",
    chunks: [
      `${"Enter a prince, a skull in his hand, and a long silence falls over the castle of Denmark. ".repeat(20)}
       To be, or not to be, that is the question.`,
    ],
  },
  { id: "band", title: "The Who", chunks: ["An English rock band of the sixties."] },
  { id: "song", title: "Songs", chunks: ["When I find myself in times of trouble: let it be."] },
  { id: "list", title: "List", chunks: ["Things to do before the winter."] },
  { id: "riddle", title: "Riddle", chunks: ["It has hands and can't clap. What is it?"] },
  { id: "film", title: "It", chunks: ["A clown lives in the sewers."] },
  { id: "testament", title: "Will", chunks: ["Signed before two witnesses."] },
  { id: "vitamins", title: "Food", chunks: ["Carrots have much vitamin A."] },
  {
    id: "vitamins-c",
    title: "Fruit",
    chunks: ["A lemon has a lot of vitamin C, a vitamin that a body needs."],
  },
  { id: "tour", title: "Tickets", chunks: ["The Who gave a concert in Leeds."] },
  {
    id: "concert",
    title: "Cellos",
    chunks: ["A concert with cello and piano, and a concert for those who sing."],
  },
  { id: "office", title: "Offices", chunks: ["Ask the IT department for a new keyboard."] },
  { id: "department", title: "Departments", chunks: ["The department that it belongs to, whatever it is."] },
  { id: "language", title: "Languages", chunks: ["Go compiles fast."] },
];

describe("queries of small words", () => {
  it.each([
    ["to be or not to be", "hamlet"],
    ["To be, or not to be?", "hamlet"],
    ["The Who", "band"],
    ["let it be", "song"],
    ["to do", "list"],
    ["what is it", "riddle"],
    ["it", "film"],
    ["will", "testament"],
    ["who", "band"],
    ["vitamin A", "vitamins"],
    ["The Who concert", "tour"],
    ["IT department", "office"],
    ["Go", "language"],
  ])("%s puts what says it in one piece first", (query, id) => {
    expect(ranked(openBase([...noise, ...wanted]), query)[0]).toBe(id);
  });

  it("K9.5 are answered by texts that say their words apart where none says them together", () => {
    const open = openBase(noise);
    expect(ranked(open, "do not be who they were")).toHaveLength(noise.length);
    expect(ranked(open, "yours or hers")).toHaveLength(noise.length);
    expect(ranked(open, "yours")).toEqual([]);
  });

  it("that are quoted are answered by what says them alone", () => {
    const open = openBase([...noise, ...wanted]);
    expect(ranked(open, "to be or not to be", ["to be or not to be"])).toEqual(["hamlet"]);
  });

  it("are answered from beyond the first units that say them where a filter lets no others pass", () => {
    const chunks = Array.from({ length: PHRASES_MOST + 100 }, (_, n) => `it is number ${n}`);
    const open = openBase([
      { id: "many", chunks },
      { id: "last", chunks: ["it is here"] },
    ]);
    const accept = new Set([chunks.length + 1]);
    open.reader.snapshot(() => {
      const hits = rankByWords(open, tokenizer, planQuery("it is")!, 10, accept);
      expect(hits.map(({ number }) => number)).toEqual([...accept]);
    });
  });

  it("are answered by what came since, and not by what is gone", () => {
    const { open, index } = openGrowing(noise);
    expect(ranked(open, "to be or not to be")).not.toContain("hamlet");
    index.add(wanted[0]!);
    expect(ranked(open, "to be or not to be")[0]).toBe("hamlet");
    index.remove("hamlet");
    expect(ranked(open, "to be or not to be")).not.toContain("hamlet");
    expect(ranked(open, "to be or not to be")).toHaveLength(noise.length);
  });

  it("ask for no postings, and for no list without a bound", () => {
    const words = fc.array(fc.constantFrom(...stopWords), { minLength: 1, maxLength: 20 });
    const open = openBase([...noise, ...wanted]);
    fc.assert(
      fc.property(words, (said) => {
        const units = planQuery(said.join(" "))!;
        const lists: number[] = [];
        let postings = 0;
        const counting: OpenIndex = {
          ...open,
          postings: Object.assign(Object.create(open.postings) as typeof open.postings, {
            of: () => (postings++, { numbers: new Int32Array() }),
            frequency: () => (postings++, 0),
            holding: (match: string, most: number) => (lists.push(most), open.postings.holding(match, most)),
          }),
        };
        open.reader.snapshot(() => {
          const hits = rankByWords(counting, tokenizer, units, 50, null);
          worthOfUnits(counting, tokenizer, units, new Set(hits.map(({ number }) => number)));
          const asked = askSmallWords(counting, units, 50, null);
          for (const one of asked.values())
            expect(one.postings.numbers.length).toBeLessThanOrEqual(2 * PHRASES_MOST);
        });
        expect(postings).toBe(0);
        expect(Math.max(...lists)).toBeLessThanOrEqual(PHRASES_MOST);
      }),
      { numRuns: 60 },
    );
  });
});

describe("CJK questions of which no pair stands anywhere", () => {
  const notes: TestDocument[] = [
    { id: "rice", title: "煮米饭", chunks: ["米淘洗两遍，水面高出米面一个指节，水开后转小火焖十五分钟。"] },
    { id: "train", title: "误车", chunks: ["错过列车的人，当日可改签同一天的车次，票价差额多退少补。"] },
    { id: "plants", title: "浇花", chunks: ["冬天每两周浇一次水，夏天早晚各一次。"] },
  ];
  it.each([
    ["煮饭时要放多少水？", "rice"],
    ["没赶上火车，车票还能换吗？", "train"],
  ])("K9.5 %s is answered by single characters", (query, id) => {
    expect(ranked(openBase(notes), query)[0]).toBe(id);
  });

  it("ask for single characters nowhere else", () => {
    const open = openBase(notes);
    open.reader.snapshot(() => {
      open.postings.refresh();
      const asked = (query: string) =>
        understand(open, tokenizer, { query, phrases: [], excluded: [], model: null })!.units.filter(
          ({ kind }) => kind === "prefix",
        );
      expect(asked("浇花和煮饭")).toEqual([]);
      expect(asked("窓を開けない").map(({ tokens }) => tokens[0])).toEqual([]);
      expect(asked("煮饭").map(({ tokens }) => tokens[0])).toEqual(["煮", "饭"]);
    });
  });
});
