export interface LineSplitter {
  push(text: string): void;
  /** Hands over what has no line end yet. */
  end(): void;
}

/** Lines out of pieces of text. A line longer than `maxChars` comes in several; empty ones don't come at all. */
export function createLineSplitter(onLine: (line: string) => void, maxChars = 4_096): LineSplitter {
  let rest = "";
  const emit = (line: string) => {
    const trimmed = line.trimEnd();
    for (let at = 0; at < trimmed.length; at += maxChars) onLine(trimmed.slice(at, at + maxChars));
  };
  return {
    push(text) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) emit(line);
      for (; rest.length > maxChars; rest = rest.slice(maxChars)) emit(rest.slice(0, maxChars));
    },
    end() {
      emit(rest);
      rest = "";
    },
  };
}
