import { symbolText } from "../word/symbol-font.ts";

/** Windows code pages and others by number → names of encodings. */
const codePages: ReadonlyMap<number, string> = new Map([
  [437, "cp437"],
  [708, "iso-8859-6"],
  [737, "cp737"],
  [775, "cp775"],
  [850, "cp850"],
  [852, "cp852"],
  [855, "cp855"],
  [857, "cp857"],
  [860, "cp860"],
  [861, "cp861"],
  [862, "cp862"],
  [863, "cp863"],
  [865, "cp865"],
  [866, "ibm866"],
  [874, "windows-874"],
  [932, "shift_jis"],
  [936, "gbk"],
  [949, "euc-kr"],
  [950, "big5"],
  [1361, "johab"],
  [10000, "macintosh"],
  [10007, "x-mac-cyrillic"],
  [65001, "utf-8"],
]);
/** Character sets of fonts → code pages. */
const charsets: ReadonlyMap<number, number> = new Map([
  [0, 1252],
  [77, 10000],
  [78, 932],
  [79, 949],
  [80, 936],
  [81, 950],
  [128, 932],
  [129, 949],
  [130, 1361],
  [134, 936],
  [136, 950],
  [161, 1253],
  [162, 1254],
  [163, 1258],
  [177, 1255],
  [178, 1256],
  [186, 1257],
  [204, 1251],
  [222, 874],
  [238, 1250],
  [254, 437],
  [255, 437],
]);
const WESTERN = 1252;
const WESTERN_CHARSET = 0;
const SYMBOL_CHARSET = 2;
const BULLET = 0xb7;
const MAX_FONTS = 10_000;
const MAX_NAME = 40;

interface Font {
  codePage: number | null;
  charset: number | null;
  /** The beginning of its name, where it is one of signs. */
  name: string;
}

/** Turns bytes of text into characters by the font they are written in. */
export class RtfFonts {
  /** Of the whole file. */
  codePage = WESTERN;
  standard = 0;
  readonly #fonts = new Map<number, Font>();
  /** Code pages that fonts have. */
  readonly #named = new Set<number>();
  readonly #decoders = new Map<number, (bytes: Uint8Array) => string>();
  readonly #iconv: typeof import("iconv-lite");

  constructor(iconv: typeof import("iconv-lite")) {
    this.#iconv = iconv;
  }

  define(font: number, what: "charset" | "codePage", value: number): void {
    const known = this.#fonts.get(font) ?? { codePage: null, charset: null, name: "" };
    known[what] = value;
    if (this.#fonts.size < MAX_FONTS) this.#fonts.set(font, known);
    if (what === "charset") this.#named.add(charsets.get(value) ?? 0);
  }

  name(font: number, bytes: Uint8Array): void {
    const known = this.#fonts.get(font);
    if (known?.charset === SYMBOL_CHARSET && known.name.length < MAX_NAME)
      known.name += Buffer.from(bytes).toString("latin1", 0, MAX_NAME);
  }

  decode(bytes: Uint8Array, font: number): string {
    const known = this.#fonts.get(font);
    if (known?.charset === SYMBOL_CHARSET)
      return /^symbol\b/i.test(known.name.trim()) ? symbolText(bytes) : signs(bytes);
    return this.#decoder(this.#codePageOf(known))(bytes);
  }

  #codePageOf(font: Font | undefined): number {
    if (font === undefined) return this.codePage;
    if (font.codePage !== null && font.codePage > 0) return font.codePage;
    if (font.charset === null) return this.codePage;
    // Simple programs call every font western and write in the code page of the file.
    if (font.charset === WESTERN_CHARSET && !this.#named.has(this.codePage)) return this.codePage;
    return charsets.get(font.charset) ?? this.codePage;
  }

  #decoder(codePage: number): (bytes: Uint8Array) => string {
    const known = this.#decoders.get(codePage);
    if (known !== undefined) return known;
    const name = codePages.get(codePage) ?? `windows-${codePage}`;
    const made = this.#makeDecoder(name);
    this.#decoders.set(codePage, made);
    return made;
  }

  #makeDecoder(name: string): (bytes: Uint8Array) => string {
    try {
      const decoder = new TextDecoder(name);
      // Node decodes this one as ISO-8859-1, without quotation marks, dashes and the euro.
      if (decoder.encoding !== "windows-1252") return (bytes) => decoder.decode(bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    const known = this.#iconv.encodingExists(name) ? name : "windows-1252";
    return (bytes) => this.#iconv.decode(Buffer.from(bytes), known);
  }
}

/** Signs of other fonts of signs have no character, but for the one that begins the items of lists. */
function signs(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    if (byte === BULLET) text += "•";
    else if (byte < 0x80) text += String.fromCharCode(byte);
  }
  return text;
}
