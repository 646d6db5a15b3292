import { ListCounters, type ListLevel, type NumberFormat } from "../word/list-labels.ts";
import { attribute, walkXml } from "../xml/walk.ts";
import { isOn } from "./styles.ts";

/** What stands before a paragraph of a list. */
export interface ListMark {
  /** 0 is the outermost. */
  readonly depth: number;
  /** "" for a bullet. */
  readonly label: string;
}

/** The lists of a document. */
export interface Numbering {
  /** Counts a paragraph of the list. Without a depth its style tells. Null where nothing stands before it. */
  next(list: string, depth: number | null, style: string): ListMark | null;
}

interface Level {
  format: NumberFormat;
  text: string;
  start: number;
  decimalOnly: boolean;
  /** Paragraphs of this style are of this level. */
  style: string | null;
}

/** What lists are made from; several lists of one form count on. */
interface ListForm {
  readonly id: string;
  readonly levels: (Level | undefined)[];
  /** The list style that has its levels instead. */
  link: string | null;
}

interface List {
  form: string;
  readonly levels: (Level | undefined)[];
  /** Numbers that its levels begin with, whatever was counted before. */
  readonly starts: Map<number, number>;
  isBegun: boolean;
}

const MAX_DEPTH = 8;
const formats: Readonly<Record<string, NumberFormat>> = {
  none: "none",
  bullet: "bullet",
  decimalZero: "decimalZero",
  lowerLetter: "lowerLetter",
  upperLetter: "upperLetter",
  lowerRoman: "lowerRoman",
  upperRoman: "upperRoman",
  chineseCounting: "chinese",
  chineseCountingThousand: "chinese",
  taiwaneseCounting: "chinese",
  taiwaneseCountingThousand: "chinese",
  japaneseCounting: "chinese",
  ideographDigital: "chinese",
};

export async function readNumbering(xml: string): Promise<Numbering> {
  const reading = new NumberingReading();
  await walkXml(xml, reading);
  return new DocumentLists(reading);
}

class NumberingReading {
  readonly forms = new Map<string, ListForm>();
  readonly lists = new Map<string, List>();
  /** Forms by the list style that names them. */
  readonly styled = new Map<string, ListForm>();
  #form: ListForm | null = null;
  #list: List | null = null;
  #level: Level | null = null;
  #overridden = 0;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const value = (key = "val"): string => attribute(attributes, key) ?? "";
    if (name === "abstractNum") {
      const id = value("abstractNumId");
      this.#form = { id, levels: [], link: null };
      this.forms.set(id, this.#form);
    } else if (name === "num") {
      this.#form = null;
      this.#list = { form: "", levels: [], starts: new Map(), isBegun: false };
      this.lists.set(value("numId"), this.#list);
    } else if (name === "lvl") this.#openLevel(depthOf(value("ilvl")));
    else if (this.#level !== null) takeLevel(this.#level, name, value());
    else if (this.#list !== null) this.#takeList(this.#list, name, value);
    else if (this.#form !== null && name === "styleLink") this.styled.set(value(), this.#form);
    else if (this.#form !== null && name === "numStyleLink") this.#form.link = value();
  }

  close(name: string): void {
    if (name === "lvl") this.#level = null;
    else if (name === "num") this.#list = null;
  }

  #openLevel(depth: number): void {
    this.#level = { format: "decimal", text: `%${depth + 1}.`, start: 1, decimalOnly: false, style: null };
    const levels = this.#list?.levels ?? this.#form?.levels ?? [];
    levels[depth] = this.#level;
  }

  #takeList(list: List, name: string, value: (key?: string) => string): void {
    if (name === "abstractNumId") list.form = value();
    else if (name === "lvlOverride") this.#overridden = depthOf(value("ilvl"));
    else if (name === "startOverride") list.starts.set(this.#overridden, numberOf(value()));
  }
}

function takeLevel(level: Level, name: string, value: string): void {
  if (name === "numFmt") level.format = formats[value] ?? "decimal";
  else if (name === "lvlText") level.text = value;
  else if (name === "start") level.start = numberOf(value);
  else if (name === "pStyle") level.style = value;
  else if (name === "isLgl") level.decimalOnly = isOn(value === "" ? undefined : value);
}

function numberOf(value: string): number {
  const number = Number.parseInt(value, 10);
  return number >= 0 && number < 1_000_000 ? number : 1;
}

function depthOf(value: string): number {
  return Math.min(MAX_DEPTH, Math.max(0, Number.parseInt(value, 10) || 0));
}

class DocumentLists implements Numbering {
  readonly #forms: ReadonlyMap<string, ListForm>;
  readonly #lists: ReadonlyMap<string, List>;
  readonly #styled: ReadonlyMap<string, ListForm>;
  readonly #counters = new ListCounters();

  constructor({ forms, lists, styled }: NumberingReading) {
    this.#forms = forms;
    this.#lists = lists;
    this.#styled = styled;
  }

  next(id: string, depth: number | null, style: string): ListMark | null {
    const list = this.#lists.get(id);
    // A list that is missing had marks all the same.
    if (list === undefined) return { depth: Math.min(MAX_DEPTH, depth ?? 0), label: "" };
    const form = this.#formOf(list);
    const levels: (Level & ListLevel)[] = [];
    for (let at = 0; at <= MAX_DEPTH; at++) {
      const level = list.levels[at] ?? form?.levels[at];
      if (level !== undefined) levels[at] = level;
    }
    const styled = levels.findIndex((level: Level | undefined) => level?.style === style);
    const at = Math.min(MAX_DEPTH, Math.max(0, depth ?? styled));
    const key = form?.id ?? `list ${id}`;
    if (!list.isBegun) {
      list.isBegun = true;
      for (const [level, start] of list.starts) this.#counters.restart(key, level, start);
    }
    const label = this.#counters.next(key, at, levels);
    return label === null ? null : { depth: at, label };
  }

  #formOf(list: List): ListForm | undefined {
    const form = this.#forms.get(list.form);
    return form?.link == null ? form : (this.#styled.get(form.link) ?? form);
  }
}
