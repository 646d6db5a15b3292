const headingName =
  /^(?:heading|überschrift|titre|título|titolo|kop|rubrik|заголовок|标题|見出し)\s*([1-9])$/i;
const MAX_NAME = 200;

/** Finds the heading styles in a style sheet: styles are numbered, named, and each name ends with a semicolon. */
export class RtfStyles {
  readonly #headings: Map<number, number>;
  #number = 0;
  #outline = 0;
  #name = "";

  constructor(headings: Map<number, number>) {
    this.#headings = headings;
  }

  word(name: string, value: number): void {
    if (name === "s") this.#number = value;
    else if (name === "outlinelevel") this.#outline = value < 9 ? value + 1 : 0;
  }

  text(text: string): void {
    const pieces = text.split(";");
    for (const [index, piece] of pieces.entries()) {
      if (this.#name.length < MAX_NAME) this.#name += piece;
      if (index < pieces.length - 1) this.#end();
    }
  }

  #end(): void {
    const name = this.#name.trim();
    const named = headingName.exec(name)?.[1];
    const level = named !== undefined ? Number(named) : name.toLowerCase() === "title" ? 1 : this.#outline;
    if (level > 0) this.#headings.set(this.#number, level);
    this.#name = "";
    this.#number = 0;
    this.#outline = 0;
  }
}
