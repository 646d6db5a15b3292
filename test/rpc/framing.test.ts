import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFrameDecoder, encodeFrame, type Frame, type Framing } from "../../rpc/wire/framing.ts";
import { isDeeperThan, readBody } from "../../rpc/wire/json-body.ts";

const MAX = 1024;

function decode(chunks: readonly Buffer[], framing?: Framing) {
  const decoder = createFrameDecoder({ maxFrameBytes: MAX, framing });
  const frames: Frame[] = [];
  const drain = () => {
    for (let frame = decoder.next(); frame !== null; frame = decoder.next()) frames.push(frame);
  };
  for (const chunk of chunks) {
    decoder.push(chunk);
    drain();
  }
  const partialBeforeEnd = decoder.partial;
  decoder.end();
  drain();
  const shown = frames.map((frame) => frame.fault ?? frame.bytes.toString());
  return { shown, framing: decoder.framing, partialBeforeEnd };
}

const decodeText = (text: string) => decode([Buffer.from(text)]);

/** Cuts bytes at the given places, whatever they are. */
function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

const cuts = fc.array(fc.nat(), { maxLength: 40 });
const messages = fc.array(
  fc.oneof(fc.dictionary(fc.string(), fc.string({ unit: "binary" })), fc.array(fc.nat())),
  {
    minLength: 1,
    maxLength: 8,
  },
);
const framings = fc.constantFrom<Framing>("ndjson", "headers");

describe("framing", () => {
  it("P14 any split of the bytes gives the same frames, in both framings", () => {
    fc.assert(
      fc.property(messages, framings, cuts, (values, framing, places) => {
        const texts = values.map((value) => JSON.stringify(value));
        const bytes = Buffer.concat(texts.map((text) => encodeFrame(framing, text)));
        const decoded = decode(split(bytes, places));
        expect(decoded).toEqual({ shown: texts, framing, partialBeforeEnd: false });
      }),
    );
  });

  it("P14 any split of any bytes gives the same frames and faults", () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
      fc
        .array(
          fc.constantFrom("Content-", "content-length: ", "5", "\r\n", "\n", "{}", "[", " ", "\0", ":"),
          {
            maxLength: 30,
          },
        )
        .map((parts) => Buffer.from(parts.join(""))),
    );
    fc.assert(
      fc.property(noise, cuts, (bytes, places) => {
        expect(decode(split(bytes, places))).toEqual(decode([bytes]));
      }),
    );
  });

  it.each([
    ['{"a":1}\n', "ndjson"],
    ["[]\n", "ndjson"],
    [' \r\n\t {"a":1}\n', "ndjson"],
    ["Content-Length: 2\r\n\r\n{}", "headers"],
    ["content-length:2\r\n\r\n{}", "headers"],
    ["CONTENT-LENGTH: 2\n\n{}", "headers"],
    ["Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}", "headers"],
    ["contents\n", "ndjson"],
    ["\x16\x03\x01\n", "ndjson"],
  ])("the first bytes of %j say %s", (text, framing) => {
    const decoded = decodeText(text);
    expect(decoded.framing).toBe(framing);
    expect(decoded.shown).toEqual([expect.any(String)]);
  });

  it("blank lines are no frames, and a carriage return before the line end is white space", () => {
    expect(
      decodeText('\n\r\n{"a":1}\r\n   \n\n').shown.map((text) => JSON.parse(text as string) as unknown),
    ).toEqual([{ a: 1 }]);
  });

  it("a last line without its line end is a frame at the end of the input", () => {
    expect(decodeText('{"a":1}')).toEqual({ shown: ['{"a":1}'], framing: "ndjson", partialBeforeEnd: true });
    expect(decodeText("con").shown).toEqual(["con"]);
  });

  it("an empty body is a frame, and what follows it is read", () => {
    expect(decodeText("Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}").shown).toEqual(["", "{}"]);
  });

  it.each([
    ["Content-Length: 2x\r\n\r\n{}", "whole number"],
    ["Content-Length: -2\r\n\r\n{}", "whole number"],
    ["Content-Length:\r\n\r\n{}", "whole number"],
    ["Content-Length: 99999999999999999999\r\n\r\n{}", "whole number"],
    ["Content-Length: 1025\r\n\r\n{}", "1024 bytes at most"],
    ["Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "twice"],
    ["Content-Length: 2\r\nnonsense\r\n\r\n{}", "Name: value"],
    ["Content-Type: text/plain\r\n\r\n{}", "needs Content-Length"],
    ["Content-Type: x; charset=latin1\r\nContent-Length: 2\r\n\r\n{}", "utf-8"],
    [`Content-Length: 2\r\nX: ${"y".repeat(5_000)}`, "4096 bytes at most"],
    ["Content-Length: 5\r\n\r\n{}", "input ended"],
    ["Content-Length: 5\r\n", "input ended"],
    [`{"a":"${"y".repeat(2_000)}`, "1024 bytes at most"],
  ])("P14 %j breaks the stream, and the fault says %s", (text, reason) => {
    const { shown } = decodeText(text);
    expect(shown).toEqual([
      expect.objectContaining({ fatal: true, message: expect.stringContaining(reason) }),
    ]);
  });

  it("a frame of exactly the cap is taken and one byte more is not", () => {
    const text = JSON.stringify("y".repeat(MAX - 2));
    for (const framing of ["ndjson", "headers"] as const) {
      expect(decode([encodeFrame(framing, text)]).shown).toEqual([text]);
      expect(decode([encodeFrame(framing, `${text} `)]).shown).toEqual([
        expect.objectContaining({ fatal: true }),
      ]);
    }
  });

  it("P14 a large frame that comes byte by byte is put together without copying it again and again", () => {
    const bytes = encodeFrame("ndjson", JSON.stringify("y".repeat(2_000_000)));
    const decoder = createFrameDecoder({ maxFrameBytes: 4_000_000 });
    const lengths: (number | undefined)[] = [];
    for (let at = 0; at < bytes.length; at++) {
      decoder.push(bytes.subarray(at, at + 1));
      const frame = decoder.next();
      if (frame !== null) lengths.push(frame.bytes?.length);
    }
    expect(lengths).toEqual([bytes.length - 1]);
  });
});

describe("a frame's body", () => {
  const depthOf = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? 1 + Math.max(0, ...Object.values(value as Record<string, unknown>).map(depthOf))
      : 0;

  it("P14 the scan counts the nesting that the parser finds, whatever strings hold", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 12 }), fc.nat(12), (text, depth) => {
        expect(isDeeperThan(Buffer.from(text), depth)).toBe(depthOf(JSON.parse(text)) > depth);
      }),
    );
  });

  it("P14 64 levels are read and 65 refused before they are parsed", () => {
    const nested = (levels: number) => Buffer.from("[".repeat(levels) + "]".repeat(levels));
    expect(readBody(nested(64), 64).fault).toBeUndefined();
    expect(readBody(nested(65), 64).fault).toMatchObject({ code: -32700, fatal: false });
    expect(readBody(Buffer.from("[".repeat(5_000_000)), 64).fault?.message).toContain("64 levels");
  });

  it.each([
    ["not JSON", Buffer.from("hello")],
    ["two messages on a line", Buffer.from("{}{}")],
    ["nothing", Buffer.from("")],
    ["a cut character", Buffer.from([0x22, 0xe2, 0x82, 0x22])],
    ["an overlong form", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ])("%s is a parse error that leaves the stream readable", (_kind, bytes) => {
    expect(readBody(bytes, 64).fault).toMatchObject({ code: -32700, fatal: false });
  });
});
