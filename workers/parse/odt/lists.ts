import { ListCounters } from "../word/list-labels.ts";
import type { OpenList } from "../word/text-frames.ts";
import { attribute } from "../xml/walk.ts";
import { type OdtStyles, OUTLINE } from "./styles.ts";

/** The lists of an OpenDocument text, counted as they come by. */
export class OdtLists {
  readonly #styles: OdtStyles;
  readonly #counters = new ListCounters();
  /** By the identifiers that later lists name to go on from them. */
  readonly #named = new Map<string, string>();
  /** What the last list of each style was counted under. */
  readonly #last = new Map<string, string>();
  #count = 0;

  constructor(styles: OdtStyles) {
    this.#styles = styles;
  }

  /** A list inside of another is counted with it. */
  open(attributes: Readonly<Record<string, string>>, around: OpenList | undefined): OpenList {
    const style = attribute(attributes, "style-name") ?? around?.style ?? "";
    const id = around?.id ?? this.#idOf(attributes, style);
    const name = attribute(attributes, "id");
    if (name !== undefined) this.#named.set(name, id);
    this.#last.set(style, id);
    return { style, id };
  }

  /** An item may have a number of its own. */
  restart(lists: readonly OpenList[], number: string | undefined): void {
    const at = Number.parseInt(number ?? "", 10);
    if (at >= 0) this.#counters.restart(lists.at(-1)?.id ?? "", lists.length - 1, at);
  }

  /** Of the next item of the innermost list; null where it has no mark. */
  label(lists: readonly OpenList[]): string | null {
    const list = lists.at(-1);
    return list === undefined
      ? null
      : this.#counters.next(list.id, lists.length - 1, this.#styles.levels(list.style));
  }

  /** Headings have the numbers of the list that they are items of, else those of all headings. */
  headingLabel(lists: readonly OpenList[], level: number): string {
    if (lists.length > 0) return this.label(lists) ?? "";
    return this.#counters.next(OUTLINE, level - 1, this.#styles.levels(OUTLINE)) || "";
  }

  #idOf(attributes: Readonly<Record<string, string>>, style: string): string {
    const named = this.#named.get(attribute(attributes, "continue-list") ?? "");
    const last = attribute(attributes, "continue-numbering") === "true" ? this.#last.get(style) : undefined;
    return named ?? last ?? `list ${++this.#count}`;
  }
}
