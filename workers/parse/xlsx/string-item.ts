/** Gathers the text of a string item (`si`, `is`, a note): its runs, without how they are pronounced. */
export interface StringItem {
  clear(): void;
  open(name: string): void;
  text(piece: string): void;
  close(name: string): void;
  value(): string;
}

export function createStringItem(): StringItem {
  let value = "";
  let inText = false;
  let inPhonetic = false;
  return {
    clear() {
      value = "";
      inText = inPhonetic = false;
    },
    open(name) {
      if (name === "t") inText = true;
      else if (name === "rPh") inPhonetic = true;
    },
    text(piece) {
      if (inText && !inPhonetic) value += piece;
    },
    close(name) {
      if (name === "t") inText = false;
      else if (name === "rPh") inPhonetic = false;
    },
    value: () => unescaped(value),
  };
}

/** Characters that XML cannot hold are written as `_x000D_`. */
export function unescaped(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replaceAll(/_x([\da-f]{4})_/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
