import { createByteCollector } from "./byte-collector.ts";
import { type Fault, streamFault } from "./fault.ts";
import { MAX_HEADER_BYTES, oversizeFault, readHeaders } from "./frame-header.ts";
import { createFrameInput } from "./frame-input.ts";

/** ndjson: one message a line. headers: each message after a Content-Length block, as language servers speak. */
export type Framing = "ndjson" | "headers";

export type Frame =
  | { readonly bytes: Buffer; readonly fault?: undefined }
  | { readonly fault: Fault; readonly bytes?: undefined };

/** Cuts a stream of bytes into frames; `push` what arrives, then call `next` until it answers null. */
export interface FrameDecoder {
  /** Null until the first bytes have told. */
  readonly framing: Framing | null;
  /** A frame has begun and is not complete (meaningful once `next` has answered null). */
  readonly partial: boolean;
  push(chunk: Buffer): void;
  /** The peer sends no more: a last line without its line end is a frame now. */
  end(): void;
  next(): Frame | null;
}

export interface FrameDecoderOptions {
  readonly maxFrameBytes: number;
  /** Known beforehand by the side that chose it. */
  readonly framing?: Framing | undefined;
}

/**
 * start: the framing is not known. line: in or before a line. headers: in or before a header block. body: the header
 * said how many bytes follow. broken: nothing can be read any more.
 */
type State = "start" | "line" | "headers" | "body" | "broken";

const HEADERS_PREFIX = "content-";
const stateOfFraming: Record<Framing, State> = { ndjson: "line", headers: "headers" };

export function createFrameDecoder(options: FrameDecoderOptions): FrameDecoder {
  return new Decoder(options);
}

class Decoder implements FrameDecoder {
  framing: Framing | null = null;
  #state: State = "start";
  readonly #maxFrameBytes: number;
  readonly #input = createFrameInput();
  /** What arrived of the frame, or of the header line, that is not complete. */
  readonly #pending = createByteCollector();
  #headerLines: string[] = [];
  #headerBytes = 0;
  #bodyBytes = 0;
  #ended = false;

  constructor(options: FrameDecoderOptions) {
    this.#maxFrameBytes = options.maxFrameBytes;
    if (options.framing !== undefined) this.#choose(options.framing);
  }

  get partial(): boolean {
    return this.#pending.length > 0 || this.#headerLines.length > 0 || this.#state === "body";
  }

  push(chunk: Buffer): void {
    if (this.#state !== "broken") this.#input.push(chunk);
  }

  end(): void {
    this.#ended = true;
  }

  next(): Frame | null {
    while (this.#canStep()) {
      const frame = this.#step();
      if (frame !== null) return frame;
    }
    return this.#ended && this.partial ? this.#last() : null;
  }

  #canStep(): boolean {
    if (this.#state === "broken") return false;
    const isEmptyBody = this.#state === "body" && this.#bodyBytes === 0;
    return isEmptyBody || this.#input.peek() !== undefined;
  }

  #step(): Frame | null {
    switch (this.#state) {
      case "start":
        return this.#sniff();
      case "line":
        return this.#readLine();
      case "headers":
        return this.#readHeaderLine();
      case "body":
        return this.#readBody();
      case "broken":
        break;
    }
    return null;
  }

  #choose(framing: Framing): void {
    this.framing = framing;
    this.#state = stateOfFraming[framing];
  }

  /** Bytes that may still turn out to be either framing's are kept: they begin the first frame. */
  #sniff(): null {
    if (this.#pending.length === 0) this.#input.skipWhitespace();
    for (let byte = this.#input.peek(); byte !== undefined; byte = this.#input.peek()) {
      const expected = HEADERS_PREFIX[this.#pending.length];
      if (expected === undefined) {
        this.#headerBytes = this.#pending.length;
        this.#choose("headers");
        return null;
      }
      if (String.fromCharCode(byte).toLowerCase() !== expected) {
        this.#choose("ndjson");
        return null;
      }
      this.#pending.append(this.#input.read(1));
    }
    return null;
  }

  #readLine(): Frame | null {
    if (this.#pending.length === 0) this.#input.skipWhitespace();
    const { piece, found } = this.#input.readLine();
    if (this.#pending.length + piece.length > this.#maxFrameBytes)
      return this.#break(oversizeFault(this.#maxFrameBytes));
    if (found) return { bytes: this.#complete(piece) };
    this.#pending.append(piece);
    return null;
  }

  #readHeaderLine(): Frame | null {
    if (this.#pending.length === 0 && this.#headerLines.length === 0) this.#input.skipWhitespace();
    const { piece, found } = this.#input.readLine();
    this.#headerBytes += piece.length + (found ? 1 : 0);
    if (this.#headerBytes > MAX_HEADER_BYTES)
      return this.#break(streamFault(`a header block may have ${MAX_HEADER_BYTES} bytes at most`));
    if (!found) {
      this.#pending.append(piece);
      return null;
    }
    const line = this.#complete(piece).toString("latin1").replace(/\r$/, "");
    if (line === "") return this.#endHeaders();
    this.#headerLines.push(line);
    return null;
  }

  #endHeaders(): Frame | null {
    const reading = readHeaders(this.#headerLines, this.#maxFrameBytes);
    if (reading.fault !== undefined) return this.#break(reading.fault);
    this.#headerLines = [];
    this.#headerBytes = 0;
    this.#bodyBytes = reading.contentLength;
    this.#state = "body";
    return null;
  }

  #readBody(): Frame | null {
    const piece = this.#input.read(this.#bodyBytes - this.#pending.length);
    if (this.#pending.length + piece.length < this.#bodyBytes) {
      this.#pending.append(piece);
      return null;
    }
    this.#state = "headers";
    return { bytes: this.#complete(piece) };
  }

  /** A frame that came in one piece is not copied. */
  #complete(piece: Buffer): Buffer {
    if (this.#pending.length === 0) return piece;
    this.#pending.append(piece);
    return this.#pending.take();
  }

  #last(): Frame {
    if (this.#state === "start") this.#choose("ndjson");
    if (this.#state === "line") return { bytes: this.#pending.take() };
    return this.#break(streamFault("the input ended in the middle of a message"));
  }

  #break(fault: Fault): Frame {
    this.#state = "broken";
    this.#pending.take();
    this.#headerLines = [];
    this.#input.clear();
    return { fault };
  }
}

/** A message's text as the bytes that go out. */
export function encodeFrame(framing: Framing, text: string): Buffer {
  if (framing === "ndjson") return Buffer.from(`${text}\n`);
  return Buffer.from(`${headerOf(Buffer.byteLength(text))}${text}`);
}

export function headerOf(contentLength: number): string {
  return `Content-Length: ${contentLength}\r\n\r\n`;
}
