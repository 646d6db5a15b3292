import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { oleNames } from "../../workers/parse/ole/directory.ts";
import { oleKind } from "../../workers/parse/ole/kind.ts";
import { failureOf, parseAs } from "../support/parse.ts";

interface CompoundFiles {
  utils: {
    cfb_new(): object;
    cfb_add(file: object, name: string, content: Uint8Array): void;
  };
  write(file: object, options: { type: "buffer" }): Buffer;
}
const { CFB } = createRequire(import.meta.url)("@e965/xlsx") as { CFB: CompoundFiles };

/** A compound file with streams of these names; a slash is a storage. */
function ole(...names: string[]): Buffer {
  const file = CFB.utils.cfb_new();
  for (const name of names) CFB.utils.cfb_add(file, `/${name}`, new Uint8Array(600));
  return CFB.write(file, { type: "buffer" });
}

describe("OLE compound files", () => {
  it.each([
    ["word", "WordDocument"],
    ["excel", "Workbook"],
    ["excel", "Book"],
    ["powerpoint", "PowerPoint Document"],
    ["outlook", "__properties_version1.0"],
    ["encrypted", "EncryptedPackage"],
    ["other", "Something"],
  ])("%s is told by the name %s", (kind, name) => {
    expect(oleKind(ole("1Table", name, "Zebra"))).toBe(kind);
  });

  it("what is embedded deeper does not say what the file is", () => {
    expect(oleKind(ole("WordDocument", "ObjectPool/_1/Workbook"))).toBe("word");
    expect(oleKind(ole("Contents", "ObjectPool/_1/Workbook"))).toBe("other");
  });

  it("many streams are all seen", () => {
    const names = Array.from({ length: 300 }, (_, at) => `stream ${at}`);
    expect(oleNames(ole(...names, "Workbook"))?.size).toBeGreaterThan(300);
    expect(oleKind(ole(...names, "Workbook"))).toBe("excel");
  });

  it("other bytes are none", () => {
    expect(oleKind(new Uint8Array(4096))).toBeNull();
    expect(oleKind(ole("Workbook").subarray(0, 100))).toBeNull();
  });

  it("P9 any byte of it may be wrong: it is told, or not, and never throws", () => {
    const bytes = ole("WordDocument", "1Table", "Data");
    for (let at = 8; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      expect(["word", "other"]).toContain(oleKind(changed));
    }
    for (let end = 512; end < bytes.length; end += 100)
      expect(oleKind(bytes.subarray(0, end))).not.toBeUndefined();
  });

  it("K4.5 one behind a password says so, whatever it is called", async () => {
    for (const name of ["a.xlsx", "a.docx", "a"]) {
      const failed = await failureOf(parseAs(name, ole("EncryptionInfo", "EncryptedPackage")));
      expect(failed.failure).toBe("needs_password");
    }
  });

  it("K4.5 documents and presentations of before 2007 are not read, and the way out is said", async () => {
    expect(await failureOf(parseAs("a.doc", ole("WordDocument")))).toMatchObject({
      failure: "unsupported",
      message: expect.stringContaining(".docx"),
    });
    expect(await failureOf(parseAs("a.doc", ole("PowerPoint Document")))).toMatchObject({
      failure: "unsupported",
      message: expect.stringContaining(".pptx"),
    });
  });
});
