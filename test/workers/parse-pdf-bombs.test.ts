import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Filter, unpacksWithin } from "../../workers/parse/pdf/unpacked-size.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";
import { tinyPdf } from "../support/tiny-pdf.ts";

const LENGTH = 1_000_000;
const deflated = deflateSync(Buffer.alloc(LENGTH));
const twice = deflateSync(deflated);

/** A run of one sign in LZW: each code stands for one sign more than the one before it. */
function lzw(codes: number): Buffer {
  let bits = (256).toString(2).padStart(9, "0") + (32).toString(2).padStart(9, "0");
  for (let at = 0; at < codes; at++) {
    const code = Math.min(258 + at, 4095);
    bits += code.toString(2).padStart(code < 511 ? 9 : code < 1023 ? 10 : code < 2047 ? 11 : 12, "0");
  }
  const bytes = bits.padEnd(8 * Math.ceil(bits.length / 8), "0").match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

function base85(bytes: Buffer): Buffer {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    let value = Buffer.concat([bytes.subarray(at, at + 4), Buffer.alloc(4)]).readUInt32BE(0);
    let group = "";
    for (let sign = 0; sign < 5; sign++) {
      group = String.fromCharCode(33 + (value % 85)) + group;
      value = Math.floor(value / 85);
    }
    text += group === "!!!!!" ? "z" : group;
  }
  return Buffer.from(`${text}~>`);
}

/** A page whose only content is one packed stream. */
function pdfOf(dictionary: string, stream: Uint8Array): Buffer {
  const head = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>endobj
4 0 obj<<${dictionary}/Length ${stream.length}>>stream\n`;
  return Buffer.concat([
    Buffer.from(head),
    stream,
    Buffer.from("\nendstream endobj\ntrailer<</Root 1 0 R>>"),
  ]);
}

describe("how much a packed stream of a PDF unpacks to", () => {
  it.each<[string, readonly Filter[], Buffer, number]>([
    ["deflated", ["flate"], deflated, LENGTH],
    ["deflated twice", ["flate", "flate"], twice, LENGTH],
    ["in hexadecimal", ["hex", "flate"], Buffer.from(`${deflated.toString("hex")}>`), LENGTH],
    ["in base 85", ["base85", "flate"], base85(deflated), LENGTH],
    ["in runs", ["runs"], Buffer.from([129, 0, 2, 1, 2, 3, 128]), 131],
    ["in LZW", ["lzw"], lzw(3000), (3002 * 3001) / 2],
  ])("P10 is counted exactly and kept nowhere: %s", async (_, filters, packed, length) => {
    expect(await unpacksWithin(packed, filters, length, true)).toBe(true);
    expect(await unpacksWithin(packed, filters, length - 1, true)).toBe(false);
  });

  it("what is damaged is left to the library", async () => {
    expect(await unpacksWithin(Buffer.alloc(1000, 0xff), ["flate"], 1000, true)).toBe(true);
  });
});

describe("a bomb in a PDF is found", () => {
  const bomb = deflateSync(Buffer.alloc(130 * 1024 * 1024));

  it.each([
    ["behind a long dictionary", `/Filter/FlateDecode/X(${"x".repeat(5000)})`, bomb],
    ["behind a dictionary that speaks of streams", "/Filter/FlateDecode/X(>>stream)", bomb],
    ["under a name with numbered signs", "/Filter/F#6cateDecode", bomb],
    ["in hexadecimal", "/Filter[/AHx/Fl]", Buffer.from(bomb.toString("hex"))],
    ["in LZW", "/Filter/LZWDecode", lzw(60_000)],
  ])("P10 %s", async (_, dictionary, stream) => {
    const problem = await failureOf(parseAs("a.pdf", pdfOf(dictionary, stream)));
    expect(problem).toMatchObject({ failure: "too_complex" });
  });

  it("P9 in an attached file it costs the attached files, not the pages", async () => {
    const attachments = [{ name: "zeros.txt", bytes: Buffer.alloc(130 * 1024 * 1024) }];
    const document = await parseAs("a.pdf", tinyPdf({ pages: [["the page"]], attachments, packed: true }));
    expect(textOfParts(document)).toBe("the page");
    expect(document.warnings).toEqual([expect.stringContaining("attached files were left out")]);
  });

  it("P10 words of streams without an end are looked at once", async () => {
    const words = "1 0 obj<</Filter/FlateDecode>>stream\nabc".repeat(20_000);
    expect(await failureOf(parseAs("a.pdf", Buffer.from(`%PDF-1.4\n${words}`)))).toMatchObject({
      failure: "corrupt",
    });
  });
});
