/** The chunks that arrived and were not read yet. Pieces are views of one chunk each: nothing is copied here. */
export interface FrameInput {
  push(chunk: Buffer): void;
  clear(): void;
  /** The next byte, or undefined when all was read. */
  peek(): number | undefined;
  /** Up to `count` bytes of the first chunk. */
  read(count: number): Buffer;
  /** The first chunk's bytes before the line end, which is read too; all of the chunk when it has none. */
  readLine(): { readonly piece: Buffer; readonly found: boolean };
  skipWhitespace(): void;
}

const NEWLINE = 0x0a;
/** What JSON calls white space: space, tab, line feed, carriage return. */
const WHITESPACE: ReadonlySet<number> = new Set([0x20, 0x09, NEWLINE, 0x0d]);

export function createFrameInput(): FrameInput {
  /** None of them is empty or read to its end. */
  let chunks: Buffer[] = [];
  let at = 0;

  function advance(count: number): void {
    at += count;
    if (chunks[0] === undefined || at < chunks[0].length) return;
    chunks.shift();
    at = 0;
  }

  const input: FrameInput = {
    push(chunk) {
      if (chunk.length > 0) chunks.push(chunk);
    },
    clear() {
      chunks = [];
      at = 0;
    },
    peek: () => chunks[0]?.[at],
    read(count) {
      const piece = chunks[0]?.subarray(at, at + count) ?? Buffer.alloc(0);
      advance(piece.length);
      return piece;
    },
    readLine() {
      const index = chunks[0]?.indexOf(NEWLINE, at) ?? -1;
      if (index === -1) return { piece: input.read(Infinity), found: false };
      const piece = input.read(index - at);
      advance(1);
      return { piece, found: true };
    },
    skipWhitespace() {
      for (let byte = input.peek(); byte !== undefined && WHITESPACE.has(byte); byte = input.peek())
        advance(1);
    },
  };
  return input;
}
