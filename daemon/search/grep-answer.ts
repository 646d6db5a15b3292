import type { GrepDocument, GrepMatch, GrepPart, LeanMatches } from "../../rpc/contract/grep.ts";
import type { Params, Result } from "../../rpc/contract/index.ts";
import type { GrepBatch, LineMatch } from "../../workers/search/contract.ts";
import { unpackMatches } from "../../workers/search/match-columns.ts";
import type { ItemPlace } from "../storage/catalog/item-filter.ts";
import type { SearchDeps } from "./search-deps.ts";

/** Of text in an answer that is not streamed: JSON may take six bytes for one, and four megabytes are answered to anyone. */
const MAX_CHARS = 2_000_000;

type CatalogItems = Pick<SearchDeps["catalog"]["items"], "visiblePlaces">;

/** What a grep has found so far: kept until the end, or sent ahead of it. */
export interface GrepAnswer {
  /** Takes in what the catalogue shows of a batch (K1.2); resolves when the caller can take more. */
  take(baseId: string, batch: GrepBatch, items: CatalogItems): Promise<void>;
  /** Matches, or documents, that still fit. */
  left(): number;
  /** There is more than fits. */
  isFull(): boolean;
  warn(warning: string): void;
  result(): Result<"kb.grep">;
}

interface GrepAnswerOptions extends Pick<Params<"kb.grep">, "limit" | "output"> {
  readonly warnings: readonly string[];
  readonly sendPart: ((part: GrepPart, done: number) => Promise<void>) | null;
}

export function createGrepAnswer(options: GrepAnswerOptions): GrepAnswer {
  return new Answer(options);
}

class Answer implements GrepAnswer {
  readonly #options: GrepAnswerOptions;
  readonly #matches: GrepMatch[] = [];
  readonly #files: GrepDocument[] = [];
  readonly #warnings: string[];
  #found = 0;
  #chars = 0;
  #documents = 0;
  #truncated = false;

  constructor(options: GrepAnswerOptions) {
    this.#options = options;
    this.#warnings = [...options.warnings];
  }

  async take(baseId: string, batch: GrepBatch, items: CatalogItems): Promise<void> {
    const { output, sendPart } = this.#options;
    this.#documents += batch.looked;
    const ids = batch.documents.map(({ materialId }) => materialId);
    const visible = items.visiblePlaces(baseId, ids);
    const documents: GrepPart["documents"][number][] = [];
    for (const one of batch.documents) {
      const item = visible.get(one.materialId);
      if (!item) continue;
      const place = placeOf(baseId, item);
      if (output !== "matches") {
        if (this.#fits()) documents.push({ ...place, lines: one.lines, matches: [] });
      } else if ("texts" in one.matches) {
        const lean = this.#takesLean(one.matches);
        if (lean.line.length > 0) documents.push({ ...place, lines: one.lines, matches: [], lean });
      } else {
        const matches = unpackMatches(one.matches).filter((match) => this.#takes(match));
        if (matches.length > 0) documents.push({ ...place, lines: one.lines, matches });
      }
    }
    if (sendPart === null) this.#keep(documents);
    else if (documents.length > 0) await sendPart({ documents }, this.#documents);
  }

  left(): number {
    return this.#options.limit - this.#found;
  }

  isFull(): boolean {
    return this.#truncated;
  }

  warn(warning: string): void {
    this.#warnings.push(warning);
  }

  result(): Result<"kb.grep"> {
    const { output, sendPart } = this.#options;
    return {
      matches: this.#matches,
      ...(output !== "matches" && sendPart === null && { files: this.#files }),
      documents: this.#documents,
      truncated: this.#truncated,
      ...(sendPart !== null && { streamed: this.#found }),
      warnings: this.#warnings,
    };
  }

  #keep(documents: GrepPart["documents"]): void {
    const { output } = this.#options;
    for (const { matches, ...file } of documents) {
      const { lines, ...place } = file;
      if (output === "matches") for (const match of matches) this.#matches.push({ ...match, ...place });
      else this.#files.push({ ...place, lines });
    }
  }

  #takes(match: LineMatch): boolean {
    if (!this.#fits()) return false;
    this.#chars += charsOf(match);
    return true;
  }

  /** Of a stream, so that only the limit counts. */
  #takesLean(lean: LeanMatches): LeanMatches {
    const left = this.left();
    if (lean.line.length > left) this.#truncated = true;
    this.#found += Math.min(left, lean.line.length);
    if (lean.line.length <= left) return lean;
    return { line: lean.line.slice(0, left), texts: lean.texts.split("\n", left).join("\n") };
  }

  /** Counts one more, or says that there is more than fits. */
  #fits(): boolean {
    const { limit, sendPart } = this.#options;
    if (this.#found === limit || (sendPart === null && this.#chars > MAX_CHARS)) this.#truncated = true;
    if (!this.#truncated) this.#found++;
    return !this.#truncated;
  }
}

function placeOf(baseId: string, { id, conceptId, path }: ItemPlace) {
  return { baseId, itemId: id, conceptId, path };
}

function charsOf({ lineText, match, linesBefore = [], linesAfter = [] }: LineMatch): number {
  const around = [...linesBefore, ...linesAfter].reduce((sum, line) => sum + line.length, 0);
  return lineText.length + match.length + around;
}
