import { ReadProblem } from "../reader.ts";
import type { FrameKind } from "../word/text-frames.ts";
import { type Destination, destinations, infoNames, seenThough, signWords } from "./destinations.ts";
import type { RtfFonts } from "./fonts.ts";
import { RtfLayout } from "./layout.ts";
import { setParagraph } from "./paragraph-words.ts";
import { RtfStyles } from "./styles.ts";
import type { RtfVisitor } from "./tokens.ts";

/** Groups nested deeper are not of a program's making. */
const MAX_DEPTH = 5000;
/** Characters kept of what a file says of itself. */
const MAX_ASIDE = 4000;
const NO_FONT = -1;
const frameKinds: ReadonlyMap<string, FrameKind> = new Map([
  ["header", "header"],
  ["headerl", "header"],
  ["headerr", "header"],
  ["headerf", "header"],
  ["footer", "footer"],
  ["footerl", "footer"],
  ["footerr", "footer"],
  ["footerf", "footer"],
  ["footnote", "note"],
  ["annotation", "comment"],
  ["shptxt", "box"],
  ["dptxbxtext", "box"],
]);
const shownShapeTexts: ReadonlySet<string> = new Set(["wzDescription", "gtextUNICODE"]);
const dateParts = ["yr", "mo", "dy", "hr", "min"];

/** What a group sets and its end takes back. */
interface Group {
  destination: Destination;
  /** Around an \upr: where the Unicode form of its text goes. */
  outer: Destination;
  font: number;
  /** Characters that stand in for one \u. */
  unicodeSkip: number;
  hidden: boolean;
  /** It opened a frame. */
  frame: boolean;
  /** Nothing of it was read yet: its first word may say where it goes. */
  fresh: boolean;
}

/** Reads RTF as its tokens come by. */
export class RtfReading implements RtfVisitor {
  readonly layout: RtfLayout;
  readonly info: Record<string, string> = {};
  readonly #fonts: RtfFonts;
  readonly #styles: RtfStyles;
  readonly #around: Group[] = [];
  #group: Group = {
    destination: "text",
    outer: "text",
    font: 0,
    unicodeSkip: 1,
    hidden: false,
    frame: false,
    fresh: false,
  };
  /** Bytes whose characters may not be whole. */
  #pending: number[] = [];
  /** Characters still to be left out behind a \u. */
  #toSkip = 0;
  #aside = "";
  #author = "";
  #shapeName = "";
  #notes = 0;
  #definedFont = 0;
  readonly #date = new Map<string, number>();

  constructor(fonts: RtfFonts, maxBlocks?: number) {
    this.#fonts = fonts;
    this.layout = new RtfLayout(maxBlocks);
    this.#styles = new RtfStyles(this.layout.headings);
  }

  /** Groups are left open: the end of the file is missing. */
  get open(): boolean {
    return this.#around.length > 0;
  }

  openGroup(): void {
    this.#flush();
    this.#toSkip = 0;
    if (this.#around.length >= MAX_DEPTH)
      throw new ReadProblem("too_complex", "Its groups are nested too deep.");
    this.#around.push(this.#group);
    this.#group = { ...this.#group, frame: false, fresh: true };
  }

  closeGroup(): void {
    this.#flush();
    this.#toSkip = 0;
    const outer = this.#around.pop();
    if (outer === undefined) return;
    if (this.#group.destination !== outer.destination) this.#endAside(this.#group.destination);
    if (this.#group.frame) this.layout.closeFrame();
    this.#group = outer;
  }

  run(bytes: Uint8Array): void {
    this.#group.fresh = false;
    const from = Math.min(this.#toSkip, bytes.length);
    this.#toSkip -= from;
    if (this.#group.destination === "fonts") this.#fonts.name(this.#definedFont, bytes);
    if (!this.#collects()) return;
    if (this.#pending.length > 0) {
      // The second byte of a character may be a letter.
      for (const byte of bytes.subarray(from)) this.#pending.push(byte);
    } else this.#text(this.#fonts.decode(bytes.subarray(from), this.#font()));
  }

  byte(byte: number): void {
    this.#group.fresh = false;
    if (this.#toSkip > 0) this.#toSkip--;
    else if (this.#collects()) this.#pending.push(byte);
  }

  sign(sign: string): void {
    this.#flush();
    if (this.#toSkip > 0) this.#toSkip--;
    else if (sign === "~") this.#text(" ");
    else if (sign === "_") this.#text("-");
  }

  word(name: string, parameter: number | null, starred: boolean): void {
    this.#flush();
    const { fresh } = this.#group;
    this.#group.fresh = false;
    if (name === "u") this.#unicode(parameter ?? 0);
    else if (this.#toSkip > 0) this.#toSkip--;
    else if (!this.#openDestination(name, starred, fresh)) this.#set(name, parameter);
  }

  #collects(): boolean {
    const { destination } = this.#group;
    return (
      destination !== "skip" && destination !== "drop" && destination !== "fonts" && destination !== "info"
    );
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    const bytes = Uint8Array.from(this.#pending);
    this.#pending = [];
    this.#text(this.#fonts.decode(bytes, this.#font()));
  }

  /** What a file says of itself has no font. */
  #font(): number {
    return this.#group.destination.startsWith("info:") ? NO_FONT : this.#group.font;
  }

  #text(text: string): void {
    const { destination, hidden } = this.#group;
    if (destination === "text") {
      if (!hidden) this.layout.text(text);
    } else if (destination === "styles") this.#styles.text(text);
    else if (this.#collects() && destination !== "upr" && this.#aside.length < MAX_ASIDE) this.#aside += text;
  }

  #unicode(value: number): void {
    const code = value & 0xffff;
    this.#toSkip = this.#group.unicodeSkip;
    // Signs of symbol fonts.
    if (code >= 0xf000 && code <= 0xf0ff) return;
    if (this.#collects()) this.#text(String.fromCharCode(code));
  }

  /** The first word of a group, or one that is starred, may say where its text goes. */
  #openDestination(name: string, starred: boolean, fresh: boolean): boolean {
    const group = this.#group;
    if (group.destination === "drop") return true;
    if (!fresh && !starred) return false;
    if (group.destination === "upr" && name !== "ud") return true;
    if (name === "ud") {
      group.destination = group.outer;
      return true;
    }
    const before = group.destination;
    const kind = frameKinds.get(name);
    if (kind !== undefined && (group.destination === "text" || kind === "box")) this.#openFrame(kind);
    else if (group.destination === "info") this.#openInfo(name);
    else this.#redirect(name, starred);
    return kind !== undefined || group.destination !== before;
  }

  #redirect(name: string, starred: boolean): void {
    const group = this.#group;
    const named = destinations.get(name);
    if (named === undefined) {
      if (starred && !seenThough.has(name)) group.destination = "skip";
      return;
    }
    // What is skipped holds only the facts of shapes that are worth reading.
    if (group.destination !== "text" && named !== "shapeName" && named !== "shapeValue" && named !== "drop")
      return;
    if (named === "upr") group.outer = group.destination;
    group.destination = named;
    this.#aside = "";
  }

  #openFrame(kind: FrameKind): void {
    if (kind === "note") this.layout.text(`[${++this.#notes}]`);
    const author = this.#author;
    this.layout.openFrame(
      kind,
      kind === "note" ? `[${this.#notes}]` : author === "" ? "Comment:" : `Comment by ${author}:`,
    );
    Object.assign(this.#group, { destination: "text", frame: true, hidden: false });
  }

  #openInfo(name: string): void {
    const kept = infoNames.get(name);
    this.#aside = "";
    this.#date.clear();
    if (kept !== undefined) this.#group.destination = `info:${kept}`;
    else if (name === "creatim") this.#group.destination = "created";
    else if (name === "revtim") this.#group.destination = "modified";
    else this.#group.destination = "skip";
  }

  #endAside(destination: Destination): void {
    const aside = this.#aside.trim();
    if (destination.startsWith("info:")) this.info[destination.slice("info:".length)] = aside;
    else if (destination === "created" || destination === "modified") this.#endDate(destination);
    else if (destination === "label") this.layout.paragraph.label = aside;
    else if (destination === "author") this.#author = aside;
    else if (destination === "shapeName") this.#shapeName = aside;
    else if (destination === "shapeValue" && shownShapeTexts.has(this.#shapeName) && aside !== "")
      this.layout.text(` ${aside} `);
  }

  #endDate(destination: "created" | "modified"): void {
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = dateParts.map((part) =>
      this.#date.get(part),
    );
    const two = (value: number): string => String(value).padStart(2, "0");
    if (year > 1900) this.info[destination] = `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`;
  }

  #set(name: string, parameter: number | null): void {
    const { destination } = this.#group;
    if (this.#setCharacter(name, parameter)) return;
    if (destination === "fonts") this.#setFont(name, parameter ?? 0);
    else if (destination === "styles") this.#styles.word(name, parameter ?? 0);
    else if (destination === "created" || destination === "modified") this.#date.set(name, parameter ?? 0);
    else if (signWords.has(name)) this.#text(signWords.get(name) ?? "");
    else if (destination === "text") setParagraph(this.layout, name, parameter);
  }

  #setFont(name: string, value: number): void {
    if (name === "fcharset") this.#fonts.define(this.#definedFont, "charset", value);
    else if (name === "cpg") this.#fonts.define(this.#definedFont, "codePage", value);
  }

  #setCharacter(name: string, parameter: number | null): boolean {
    const group = this.#group;
    switch (name) {
      case "f":
        if (group.destination === "fonts") this.#definedFont = parameter ?? 0;
        else group.font = parameter ?? 0;
        return true;
      case "deff":
        this.#fonts.standard = parameter ?? 0;
        group.font = this.#fonts.standard;
        return true;
      case "uc":
        group.unicodeSkip = Math.min(10, Math.max(0, parameter ?? 1));
        return true;
      case "v":
      case "deleted":
        group.hidden = parameter !== 0;
        return true;
      case "plain":
        group.hidden = false;
        group.font = this.#fonts.standard;
        return true;
      case "ansicpg":
        if ((parameter ?? 0) > 0) this.#fonts.codePage = parameter ?? 0;
        return true;
      case "mac":
        this.#fonts.codePage = 10000;
        return true;
      case "pc":
      case "pca":
        this.#fonts.codePage = name === "pc" ? 437 : 850;
        return true;
      default:
        return false;
    }
  }
}
