import { setImmediate } from "node:timers/promises";
import type { PDFDocumentProxy } from "pdfjs-dist";
import { type EmbeddedFile, ReadProblem } from "../reader.ts";
import { referenceKey } from "./bookmarks.ts";
import { readNotes } from "./notes.ts";
import { type Block, pageBlocks } from "./page-blocks.ts";
import { pageList } from "./page-list.ts";
import { readRuns } from "./runs.ts";

/** More pages are counted and left out, with a warning. */
const MAX_PAGES = 10_000;
const MAX_PAGE_RUNS = 40_000;
const MAX_PAGE_CHARS = 1_000_000;
/** After so many pages that can't even be found, the rest is not looked for. */
const MAX_MISSING = 100;
/** The library keeps some 60 KB of each page until it is told to clean up; fonts are then loaded again. */
const CLEAN_UP_EVERY = 200;
/** The event loop gets a turn at least this often, so that an abort is heard. */
const TURN_MS = 50;

export interface PagesInput {
  readonly maxTextChars: number;
  /** When to stop and leave it at what was read. */
  readonly budgetMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface Pages {
  readonly blocks: Block[][];
  /** For each page, comments and filled-in fields. */
  readonly notes: (readonly string[])[];
  readonly files: EmbeddedFile[];
  /** The key of a page's object → its index. */
  readonly pageOf: Map<string, number>;
  readonly warnings: string[];
}

interface Progress extends Pages {
  readonly broken: number[];
  readonly cut: number[];
  missing: number;
  reason: string;
  chars: number;
}

/** All pages in their order, as far as time and bounds allow. @throws ReadProblem when none can be read. */
export async function readPages(document: PDFDocumentProxy, input: PagesInput): Promise<Pages> {
  const progress: Progress = {
    blocks: [],
    notes: [],
    files: [],
    pageOf: new Map(),
    warnings: [],
    broken: [],
    cut: [],
    missing: 0,
    reason: "",
    chars: 0,
  };
  const clock = createClock(input);
  const count = Math.min(document.numPages, MAX_PAGES);
  for (let number = 1; number <= count && progress.missing < MAX_MISSING; number++) {
    await clock.turn();
    if (clock.late() && number > 1) break;
    await readPage(document, number, progress, clock);
    if (number % CLEAN_UP_EVERY === 0) await document.cleanup();
    if (progress.chars > input.maxTextChars)
      throw new ReadProblem("too_complex", "Its text is larger than the cap.");
  }
  report(progress, document.numPages);
  return progress;
}

interface Clock {
  late(): boolean;
  /** Lets the event loop turn. @throws when the reading was aborted. */
  turn(): Promise<void>;
  /** The same, but not each time; answers whether there is time left. */
  goOn(): Promise<boolean>;
}

function createClock({ budgetMs, signal }: PagesInput): Clock {
  const start = performance.now();
  let turned = start;
  const turn = async (): Promise<void> => {
    await setImmediate();
    turned = performance.now();
    signal?.throwIfAborted();
  };
  const late = (): boolean => performance.now() - start > budgetMs;
  return {
    late,
    turn,
    async goOn() {
      if (performance.now() - turned > TURN_MS) await turn();
      return !late();
    },
  };
}

async function readPage(
  document: PDFDocumentProxy,
  number: number,
  progress: Progress,
  clock: Clock,
): Promise<void> {
  let found = false;
  let blocks: Block[] = [];
  let notes: readonly string[] = [];
  try {
    const page = await document.getPage(number);
    found = true;
    if (page.ref !== null) progress.pageOf.set(referenceKey(page.ref), number - 1);
    const runs = await readRuns(page, {
      maxRuns: MAX_PAGE_RUNS,
      maxChars: MAX_PAGE_CHARS,
      goOn: () => clock.goOn(),
    });
    if (runs.cut) progress.cut.push(number);
    progress.chars += runs.chars;
    blocks = pageBlocks(runs);
    const beside = await readNotes(page);
    notes = beside.lines;
    progress.files.push(...beside.files);
    page.cleanup();
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
    // The other pages are still worth having.
    if (progress.broken.length === 0) progress.reason = messageOf(error);
    progress.broken.push(number);
  }
  progress.missing = found ? 0 : progress.missing + 1;
  progress.blocks.push(blocks);
  progress.notes.push(notes);
}

function report(progress: Progress, numPages: number): void {
  const { warnings, broken, cut, blocks, notes, reason } = progress;
  if (broken.length === blocks.length)
    throw new ReadProblem("corrupt", `None of its pages could be read: ${reason}.`);
  if (broken.length > 0) warnings.push(`${capital(pageList(broken))} could not be read: ${reason}.`);
  if (cut.length > 0)
    warnings.push(`Of ${pageList(cut)} only a part was read: it holds more than fits, or takes too long.`);
  if (progress.missing >= MAX_MISSING) {
    blocks.length -= progress.missing;
    notes.length -= progress.missing;
  }
  if (blocks.length < numPages)
    warnings.push(`Only the first ${blocks.length} of ${numPages} pages were read.`);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
