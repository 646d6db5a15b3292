import { attribute, walkXml } from "../xml/walk.ts";

interface Style {
  readonly name: string;
  basedOn: string | null;
  /** 1 is the outermost; null where the style says nothing, 0 for body text. */
  outline: number | null;
  numbering: string | null;
  depth: number | null;
  hidden: boolean;
}

/** What the styles of a document make of its paragraphs and runs. */
export interface Styles {
  /** The level of heading that a paragraph of the style is; 0 for none. */
  headingLevel(style: string): number;
  /** The list that a paragraph of the style is an item of; its depth where the style tells it. */
  numbering(style: string): { readonly id: string; readonly depth: number | null } | null;
  hidden(style: string): boolean;
}

/** Styles are based on one another, not for ever. */
const MAX_CHAIN = 20;
const headingName =
  /^(?:heading|überschrift|titre|título|titolo|kop|rubrik|заголовок|标题|見出し)\s*([1-9])$/i;

export async function readStyles(xml: string): Promise<Styles> {
  const styles = new Map<string, Style>();
  let style: Style | null = null;
  await walkXml(xml, {
    open(name, attributes) {
      const value = attribute(attributes, "val") ?? "";
      if (name === "style") {
        const id = attribute(attributes, "styleId") ?? "";
        style = { ...emptyStyle, name: "" };
        styles.set(id, style);
      } else if (style !== null) take(style, name, value);
    },
    close(name) {
      if (name === "style") style = null;
    },
  });
  return lookups(styles);
}

const emptyStyle = { basedOn: null, outline: null, numbering: null, depth: null, hidden: false };

function take(style: { -readonly [Key in keyof Style]: Style[Key] }, name: string, value: string): void {
  if (name === "name") style.name = value;
  else if (name === "basedOn") style.basedOn = value;
  else if (name === "outlineLvl") style.outline = outlineLevel(value);
  else if (name === "numId") style.numbering = value;
  else if (name === "ilvl") style.depth = Number.parseInt(value, 10) || 0;
  else if (name === "vanish") style.hidden = isOn(value);
}

function lookups(styles: ReadonlyMap<string, Style>): Styles {
  const chain = <T>(id: string, pick: (style: Style) => T | null): T | null => {
    let at: string | null = id;
    for (let count = 0; at !== null && count < MAX_CHAIN; count++) {
      const style = styles.get(at);
      const found = style === undefined ? null : pick(style);
      if (found !== null) return found;
      at = style?.basedOn ?? null;
    }
    return null;
  };
  return {
    // A style that the file leaves out is one of Word's own, by its name: "Heading1".
    headingLevel: (id) =>
      chain(id, levelOf) ?? (styles.has(id) ? 0 : (levelOf({ name: id, outline: null }) ?? 0)),
    numbering(id) {
      const list = chain(id, (style) => style.numbering);
      return list === null || list === "0" ? null : { id: list, depth: chain(id, (style) => style.depth) };
    },
    hidden: (id) => styles.get(id)?.hidden === true,
  };
}

function levelOf({ name, outline }: Pick<Style, "name" | "outline">): number | null {
  if (outline !== null) return outline;
  const named = headingName.exec(name)?.[1];
  if (named !== undefined) return Number(named);
  return name.toLowerCase() === "title" ? 1 : null;
}

/** What a document says as 0 to 8, and as 9 for body text. */
export function outlineLevel(value: string): number {
  const level = Number.parseInt(value, 10);
  return level >= 0 && level < 9 ? level + 1 : 0;
}

/** A property without a value is on. */
export function isOn(value: string | undefined): boolean {
  return value === undefined || !/^(?:0|false|off|none)$/i.test(value);
}
