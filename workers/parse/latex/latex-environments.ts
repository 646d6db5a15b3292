import {
  codeEnvironments,
  FRAME_RANK,
  mathEnvironments,
  namedEnvironments,
  silentEnvironments,
  tableEnvironments,
} from "./latex-commands.ts";
import type { LatexOutput } from "./latex-output.ts";
import type { LatexSource } from "./latex-source.ts";
import { latexTable } from "./latex-table.ts";

const MAX_OPEN_LISTS = 100;

/** Reads environments: those that are no text are read to their end, of the others the two commands alone. */
export class LatexEnvironments {
  readonly #output: LatexOutput;
  readonly #source: LatexSource;
  /** Those whose end was looked for in vain. */
  readonly #endless = new Set<string>();

  constructor(output: LatexOutput) {
    this.#output = output;
    this.#source = output.input.source;
  }

  end(name: string): void {
    const { lists } = this.#output;
    this.#output.endOpenLine();
    if (isList(name)) lists.pop();
    if (name === "document") this.#source.moveTo(this.#source.text.length);
  }

  begin(name: string): void {
    const output = this.#output;
    const source = this.#source;
    output.endOpenLine();
    const tableArguments = tableEnvironments.get(name);
    if (silentEnvironments.has(name)) this.#skip(name);
    else if (codeEnvironments.has(name)) this.#code(name);
    else if (tableArguments !== undefined) this.#table(name, tableArguments);
    else if (mathEnvironments.test(name)) this.#formula(name);
    else if (isList(name)) {
      if (output.lists.length < MAX_OPEN_LISTS) output.lists.push(name.startsWith("enumerate") ? 1 : null);
      source.skipArguments(0);
    } else if (name === "frame") this.#frame();
    else if (name === "abstract") output.heading(output.input.topRank, "Abstract");
    else if (name === "thebibliography") {
      source.skipArguments(1);
      output.heading(output.input.topRank, "References");
    } else if (name === "minipage" || name === "multicols" || name === "wrapfigure" || name === "column")
      source.skipArguments(name === "wrapfigure" ? 2 : 1);
    else this.#named(name);
  }

  #named(name: string): void {
    const label = Object.hasOwn(namedEnvironments, name) ? namedEnvironments[name] : undefined;
    if (label === undefined) {
      if (/^(?:block|alertblock|exampleblock|tcolorbox|mdframed)$/.test(name)) {
        const title = this.#source.group();
        if (title !== null) this.#output.write(`${this.#output.inline(title)}\n`);
      }
      this.#source.skipArguments(0);
      return;
    }
    const option = this.#source.option();
    this.#output.write(option === null ? `${label}. ` : `${label} (${this.#output.inline(option)}). `);
  }

  #frame(): void {
    this.#source.skipArguments(0);
    const title = this.#source.group();
    if (title !== null) this.#output.heading(FRAME_RANK, this.#output.inline(title));
  }

  /** Where the environment's end begins; null where it has none. */
  #endOf(name: string): number | null {
    if (this.#endless.has(name)) return null;
    const end = this.#source.text.indexOf(`\\end{${name}}`, this.#source.at);
    if (end !== -1) return end;
    this.#endless.add(name);
    return null;
  }

  #pass(name: string, end: number): void {
    this.#source.moveTo(end + `\\end{${name}}`.length);
  }

  #skip(name: string): void {
    const end = this.#endOf(name);
    if (end !== null) this.#pass(name, end);
  }

  #code(name: string): void {
    const source = this.#source;
    const end = this.#endOf(name);
    if (end === null) return;
    const option = source.option() ?? "";
    const argument = name === "minted" || name === "code" ? source.group() : null;
    const named = argument ?? /\blanguage\s*=\s*\{?(?:\[[^\]]*\])?([\w+#-]{1,40})/.exec(option)?.[1] ?? "";
    const caption = /\b(?:caption|title)\s*=\s*(?:\{([^{}]*)\}|([^,\]]*))/.exec(option);
    if (caption !== null) this.#output.write(`${this.#output.inline(caption[1] ?? caption[2] ?? "")}\n`);
    if (source.at < end) {
      const lines = source.text.slice(source.at, end).split("\n");
      const language = /^[\w+#.-]{1,40}$/.test(named) ? named.toLowerCase() : "";
      this.#output.input.out.fence(language, lines, source.line);
    }
    this.#pass(name, end);
  }

  #table(name: string, groups: number): void {
    const end = this.#endOf(name);
    if (end === null) return;
    const source = this.#source;
    source.skipArguments(groups);
    if (source.at < end) {
      const rows = latexTable(source.text.slice(source.at, end), source.line);
      const { out } = this.#output.input;
      out.table(rows.map(({ cells, origin }) => ({ cells: cells.map(this.#output.inline), origin })));
    }
    this.#pass(name, end);
  }

  /** Formulas stay as they are. */
  #formula(name: string): void {
    const end = this.#endOf(name);
    if (end === null) return;
    const source = this.#source;
    const { out } = this.#output.input;
    out.line("$$", source.line);
    for (const line of source.text.slice(source.at, end).split("\n")) {
      const text = line.replaceAll(/\\(?:label|tag)\{[^{}]{0,200}\}|\\(?:nonumber|notag)\b/g, "").trim();
      if (text !== "" && !text.startsWith("%")) out.line(text, source.line);
      source.line++;
    }
    source.line--;
    source.at = end;
    out.line("$$", source.line);
    this.#pass(name, end);
  }
}

function isList(name: string): boolean {
  return /^(?:itemize|enumerate|description|compactitem|compactenum|inparaenum|tasks)\*?$/.test(name);
}
