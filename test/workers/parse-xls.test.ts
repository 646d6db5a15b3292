import { CFB, type BookType, utils, type WorkBook, type WorkSheet, write } from "@e965/xlsx";
import { unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { readXls } from "../../workers/parse/xls/read-xls.ts";
import { xlsReader } from "../../workers/parse/xls.ts";
import type { ReadInput } from "../../workers/parse/reader.ts";
import { biffRecord, encrypted, md5Pass, shaPass } from "../support/old-excel.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

function sheetOf(rows: readonly (readonly unknown[])[]): WorkSheet {
  return utils.aoa_to_sheet(rows.map((row) => [...row]));
}

function bytesOf(
  sheets: Readonly<Record<string, WorkSheet>>,
  bookType: BookType,
  about: Partial<WorkBook> = {},
): Buffer {
  const book: WorkBook = { SheetNames: Object.keys(sheets), Sheets: sheets, ...about };
  return write(book, { type: "buffer", bookType }) as Buffer;
}

const people = [
  ["Name", "Share", "Since"],
  ["Ann", 0.256, 45_000],
  ["Bob", 4_006_381_333_931, 45_001],
];

function peopleSheet(): WorkSheet {
  const sheet = sheetOf(people);
  for (const [cell, format] of [
    ["B2", "0%"],
    ["C2", "m/d/yy"],
    ["C3", "yyyy-mm-dd"],
  ] as const)
    Object.assign(sheet[cell] as object, { z: format });
  return sheet;
}

describe.each([
  ["a.xls", "biff8"],
  ["a.xlsb", "xlsb"],
] as const)("a workbook of binary records: %s", (name, bookType) => {
  it("gives each sheet as a Markdown table with what a person sees", async () => {
    const document = await parseAs(
      name,
      bytesOf({ People: peopleSheet(), Old: sheetOf([["gone", 1]]) }, bookType, {
        Props: { Title: "Staff list", Author: "Ann" },
        Workbook: {
          Sheets: [
            { name: "People", Hidden: 0 },
            { name: "Old", Hidden: 2 },
          ],
        },
      }),
    );
    expect(document.title).toBe("Staff list");
    expect(document.metadata).toMatchObject({ sheets: ["People", "Old"], hiddenSheets: ["Old"] });
    expect(document.parts.map(({ text, locator }) => [text, locator])).toEqual([
      [
        "## People\n\n| Name | Share | Since |\n| --- | --- | --- |\n| Ann | 26% | 2023-03-15 |\n| Bob | 4006381333931 | 2023-03-16 |",
        { sheet: "People", range: "A1:C3" },
      ],
      ["## Old (hidden sheet)\n\n| gone | 1 |", { sheet: "Old", range: "A1:B1" }],
    ]);
    expect(document.warnings).toEqual([]);
  });

  it("links are kept, and one that claims a million cells marks a single one", async () => {
    const sheet = sheetOf([["home", "other"]]);
    Object.assign(sheet["A1"] as object, { l: { Target: "https://example.org/x" } });
    const document = await parseAs(name, bytesOf({ S: sheet }, bookType));
    expect(textOfParts(document)).toBe("## S\n\n| [home](https://example.org/x) | other |");
  });
});

it("P10 of an .xls with more cells than may be read rows are left out, and are counted", async () => {
  const row = (number: number): Buffer => {
    // Row and first column, a style and a number each, last column.
    const body = Buffer.alloc(6 + 6 * 250);
    body.writeUInt16LE(number, 0);
    for (let at = 0; at < 250; at++) body.writeUInt32LE(6, 6 + 6 * at);
    body.writeUInt16LE(249, body.length - 2);
    return biffRecord(0x00bd, body);
  };
  const stream = Buffer.concat([
    biffRecord(0x0809, Buffer.from("0006100000000000", "hex")),
    ...Array.from({ length: 50 }, (_, number) => row(number)),
    biffRecord(0x000a, Buffer.alloc(0)),
  ]);
  const bounded = { ...xlsReader, read: (input: ReadInput) => readXls(input, 10_000) };
  const document = await parseAs("a.xls", stream, { readers: [bounded] });
  expect(document.warnings).toEqual([
    expect.stringContaining("its first 40 rows with content were read, 10 after them were left out."),
  ]);
});

it("P10 texts of an .xlsb that claim to be longer than the file end with their record", async () => {
  // Length below 128 is one byte.
  const record = (type: readonly number[], body: Buffer): Buffer =>
    Buffer.concat([Buffer.from([...type, body.length]), body]);
  const lying = Buffer.alloc(12 + 2 * 4);
  lying.writeUInt32LE(0xfffffff0, 8);
  lying.write("kept", 12, "utf16le");
  const sheet = Buffer.concat([
    record([0x91, 0x01], Buffer.alloc(0)),
    record([0x00], Buffer.alloc(17)),
    record([0x06], lying),
    Buffer.from([0x06, 0xff, 0xff, 0xff, 0x7f]),
  ]);
  const parts = unzipSync(bytesOf({ S: sheetOf([[1]]) }, "xlsb"));
  const document = await parseAs("a.xlsb", zipSync({ ...parts, "xl/worksheets/sheet1.bin": sheet }));
  expect(textOfParts(document)).toBe("## S\n\nkept");
  expect(document.warnings).toEqual(['Sheet "S" could not be read to its end: its records are cut off.']);
});

describe("an .xls", () => {
  it("bytes decide that it is one, whatever its name; older versions are read too", async () => {
    const sheets = {
      S: sheetOf([
        ["Name", "Age"],
        ["Zoe", 7],
      ]),
    };
    const table = "| Name | Age |\n| --- | --- |\n| Zoe | 7 |";
    for (const [name, type] of [
      ["a.doc", "biff8"],
      ["a", "biff5"],
      ["a.xls", "biff2"],
      ["a.xls", "biff4"],
    ] as const) {
      const document = await parseAs(name, bytesOf(sheets, type as BookType));
      expect(document.format).toBe("xls");
      expect(textOfParts(document)).toContain(table);
    }
  });

  it("a link over all cells, patched into the file, ends at once", async () => {
    const sheet = sheetOf([["home", "other"]]);
    Object.assign(sheet["A1"] as object, { l: { Target: "https://example.org/x" } });
    const bytes = patched(bytesOf({ S: sheet }, "biff8"), (stream) => {
      const at = stream.indexOf(Buffer.from([0xb8, 0x01]));
      stream.writeUInt16LE(0xffff, at + 6);
      stream.writeUInt16LE(0xffff, at + 10);
    });
    expect(textOfParts(await parseAs("a.xls", bytes))).toContain("[home](https://example.org/x)");
  });

  it("one behind a password says so", async () => {
    const bytes = patched(bytesOf({ S: sheetOf([["a"]]) }, "biff8"), (stream) => {
      // The record behind the first one becomes that of a password.
      stream.writeUInt16LE(0x002f, 4 + stream.readUInt16LE(2));
    });
    expect(await failureOf(parseAs("a.xls", bytes))).toMatchObject({ failure: "needs_password" });
  });

  it.each([
    ["of 1997", md5Pass],
    ["of 2002", shaPass],
  ])("one encrypted with the password that Excel itself tries is read, the cipher is %s", async (_, pass) => {
    const whole = bytesOf(
      { S: sheetOf([...people, ...Array.from({ length: 300 }, (_row, at) => [`row ${at}`])]) },
      "biff8",
    );
    const encrypt = (password: string): Buffer =>
      patched(whole, (stream) => {
        const { record, keyOf } = pass(Buffer.from(password, "utf16le"));
        return encrypted(stream, record, keyOf);
      });
    const plain = textOfParts(await parseAs("a.xls", whole));
    expect(plain).toContain("row 299");
    expect(textOfParts(await parseAs("a.xls", encrypt("VelvetSweatshop")))).toBe(plain);
    expect((await failureOf(parseAs("a.xls", encrypt("another")))).failure).toBe("needs_password");
  });

  it("one that is cut off or shuffled is corrupt or gives what is sound", async () => {
    const whole = bytesOf({ S: sheetOf(people) }, "biff8");
    for (let at = 600; at < whole.length; at += 700) {
      const shuffled = Buffer.from(whole);
      shuffled.fill(at % 251, at, at + 40);
      for (const bytes of [whole.subarray(0, at), shuffled]) {
        const outcome = await parseAs("a.xls", bytes).then(
          () => "read",
          (error: unknown) => (error as { failure?: string }).failure,
        );
        expect(["read", "corrupt", "no_text", "unsupported", "needs_password"]).toContain(outcome);
      }
    }
  });
});

/** `change` may give another stream. */
function patched(bytes: Buffer, change: (stream: Buffer) => Buffer | void): Buffer {
  const library = CFB as {
    read(bytes: Buffer, options: { type: "buffer" }): object;
    find(container: object, path: string): { content: Buffer; size: number };
    write(container: object, options: { type: "buffer" }): Buffer;
  };
  const container = library.read(bytes, { type: "buffer" });
  const entry = library.find(container, "/Workbook");
  const stream = Buffer.from(entry.content);
  entry.content = change(stream) ?? stream;
  entry.size = entry.content.length;
  return library.write(container, { type: "buffer" });
}
