import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";
import { tinyPdf } from "../support/tiny-pdf.ts";

describe("PDF", () => {
  it("K7.5 each page with text is a part, with its number as locator", async () => {
    const bytes = tinyPdf({
      pages: [["First page", "goes on"], [], ["Third (last) page"]],
      title: "The Report",
    });
    expect(await parseAs("a.pdf", bytes)).toMatchObject({
      format: "pdf",
      parser: expect.stringMatching(/^pdf@/),
      title: "The Report",
      parts: [
        { text: "First page\ngoes on", markup: "plain", locator: { page: 1 }, lines: null },
        { text: "Third (last) page", markup: "plain", locator: { page: 3 }, lines: null },
      ],
      metadata: { pages: 3 },
      warnings: ["No text on page 2 of 3: blank, or images that need OCR."],
    });
  });

  it.each(["Untitled", "Microsoft Word - draft.doc", "paper.dvi"])(
    "a title that a program wrote is none: %s",
    async (title) => {
      expect(await parseAs("a.pdf", tinyPdf({ pages: [["text"]], title }))).toMatchObject({ title: null });
    },
  );

  it("what it says of itself becomes metadata, pages' own names where they are not their numbers", async () => {
    const bytes = tinyPdf({
      pages: [["preface"], ["preface goes on"], ["chapter"]],
      info: "/Author (Ada) /CreationDate (D:20240229123000+02'00') /ModDate (never) /Keywords (a, b)",
      catalog: "/Lang (en-GB) /PageLabels << /Nums [0 << /S /r >> 2 << /S /D >>] >>",
    });
    expect((await parseAs("a.pdf", bytes)).metadata).toEqual({
      pages: 3,
      author: "Ada",
      keywords: "a, b",
      language: "en-GB",
      date: "2024-02-29T12:30:00+02:00",
      pageLabels: ["i", "ii", "1"],
    });
  });

  it("a PDF is told by its bytes, whatever its name and whatever stands in front", async () => {
    const bytes = tinyPdf({ pages: [["Found anyway"]] });
    expect(await parseAs("a.txt", bytes)).toMatchObject({ format: "pdf" });
    expect(await parseAs("a.pdf", Buffer.concat([Buffer.from("junk in front\n"), bytes]))).toMatchObject({
      format: "pdf",
    });
  });

  it("a broken cross-reference table is rebuilt", async () => {
    const bytes = Buffer.from(
      tinyPdf({ pages: [["Still readable"]] })
        .toString("latin1")
        .replace(/startxref\n\d+/, "startxref\n7"),
      "latin1",
    );
    expect((await parseAs("a.pdf", bytes)).parts[0]?.text).toBe("Still readable");
  });

  it("what an empty password opens is read", async () => {
    const bytes = tinyPdf({ pages: [["Anyone may read this"]], sealed: true });
    expect(bytes.includes("Anyone may read this")).toBe(false);
    expect((await parseAs("a.pdf", bytes)).parts[0]?.text).toBe("Anyone may read this");
  });

  it.each([
    ["needs_password", tinyPdf({ pages: [["secret"]], locked: true }), "password"],
    ["no_text_layer", tinyPdf({ pages: Array.from({ length: 12 }, () => []) }), "12 page(s) of images"],
    ["corrupt", Buffer.from("%PDF-1.4\nnothing of a document"), "could not be opened"],
    ["corrupt", tinyPdf({ pages: [["cut off"]] }).subarray(0, 120), "could not be opened"],
  ])("K4.5 %s is a state of its own, with its reason", async (failure, bytes, says) => {
    const problem = await failureOf(parseAs("a.pdf", bytes));
    expect(problem.failure).toBe(failure);
    expect(problem.message).toContain(says);
  });

  it("scanned pages among others are named in a warning", async () => {
    const pages = Array.from({ length: 12 }, (_, index) =>
      [2, 5, 6, 7].includes(index) ? [] : [`Words ${index}`, "more"],
    );
    expect((await parseAs("a.pdf", tinyPdf({ pages }))).warnings).toEqual([
      "No text on pages 3, 6–8 of 12: blank, or images that need OCR.",
    ]);
  });

  it("comments, filled-in fields and free text stand after their page's text", async () => {
    const bytes = tinyPdf({
      pages: [
        {
          draw: "BT /F1 12 Tf 50 700 Td (Form) Tj ET",
          annotations: [
            "/Subtype /Text /Rect [0 0 9 9] /Contents (check this) /T (Ada)",
            "/Subtype /FreeText /Rect [0 0 9 9] /Contents (written over it)",
            "/Subtype /Widget /FT /Tx /Rect [0 0 9 9] /T (name) /TU (Full name) /V (Grace Hopper)",
            "/Subtype /Widget /FT /Tx /Ff 8192 /Rect [0 0 9 9] /T (pin) /V (1234)",
          ],
        },
      ],
    });
    expect(textOfParts(await parseAs("a.pdf", bytes))).toBe(
      "Form\n\nComment (Ada): check this\n\nwritten over it\n\nFull name: Grace Hopper",
    );
  });

  it("attached files are read with it, under their name", async () => {
    const bytes = tinyPdf({
      pages: [["See the attachment"]],
      attachments: [{ name: "notes.txt", bytes: Buffer.from("Notes in the attachment") }],
    });
    const document = await parseAs("a.pdf", bytes);
    expect(document.parts[1]).toMatchObject({ text: "Notes in the attachment", headings: ["notes.txt"] });
  });
});

describe("a hostile PDF ends within its bounds", () => {
  const many = Array.from(
    { length: 4000 },
    (_, index) => `BT /F1 9 Tf 1 0 0 1 50 ${index % 700} Tm (word ${index}) Tj ET`,
  );

  it("a page that draws very much is read in part, the others wholly", async () => {
    const draw = Array.from({ length: 11 }, () => many.join("\n")).join("\n");
    const document = await parseAs("a.pdf", tinyPdf({ pages: [{ draw }, ["after it"]] }));
    expect(document.parts[1]?.text).toContain("after it");
    expect(document.warnings[0]).toContain("Of page 1 only a part was read");
  });

  it("pages that a wrong count promises are not looked for one by one", async () => {
    const text = tinyPdf({ pages: [["the only page"]] })
      .toString("latin1")
      .replace("/Count 1", "/Count 900000");
    const document = await parseAs("a.pdf", Buffer.from(text, "latin1"));
    expect(textOfParts(document)).toBe("the only page");
  });

  it("P9 pages that there is no time for are left out, and the warning says how many were read", async () => {
    const bytes = tinyPdf({ pages: Array.from({ length: 5 }, (_, index) => [`page ${index}`]) });
    const limits = { maxTextChars: 1e6, chunkTokens: 1024, until: performance.now() };
    const document = await parseAs("a.pdf", bytes, { limits });
    expect(textOfParts(document)).toBe("page 0");
    expect(document.warnings.at(-1)).toBe("Only the first 1 of 5 pages were read.");
  });

  it("an abort is heard between pages", async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const bytes = tinyPdf({ pages: Array.from({ length: 50 }, (_, index) => [`page ${index}`]) });
    await expect(parseAs("a.pdf", bytes, { signal: controller.signal })).rejects.toThrow("abort");
  });

  it("P10 pages that the library fetched ahead and that are damaged do not end the thread that reads", () => {
    const text = tinyPdf({ pages: Array.from({ length: 6 }, (_, index) => [`words ${index}`]) }).toString(
      "latin1",
    );
    const kids = Array.from((/Kids \[([^\]]*)\]/.exec(text)?.[1] ?? "").matchAll(/(\d+) 0 R/g), (kid) =>
      Number(kid[1]),
    );
    const bytes = Buffer.from(text, "latin1");
    const table = text.indexOf("\n", text.indexOf("xref\n0 ") + 5) + 1;
    for (const index of [2, 3, 5]) bytes.write("0000000009", table + 20 * (kids[index] ?? 0), "latin1");
    const built = new URL("../../dist/workers/parse/parse-bytes.js", import.meta.url);
    const script = `
      import { readFileSync } from "node:fs";
      import { parseBytes } from ${JSON.stringify(built.href)};
      const limits = { maxTextChars: 1e6, chunkTokens: 1024 };
      const { parts } = await parseBytes({ bytes: readFileSync(0), relativePath: "a.pdf", snapshot: false, limits });
      console.log(parts.length);`;
    const options = { input: bytes, encoding: "utf8" } as const;
    expect(spawnSync(process.execPath, ["--input-type=module", "-e", script], options)).toMatchObject({
      status: 0,
      stdout: "6\n",
    });
  });

  it("text that is larger than the cap is refused", async () => {
    const bytes = tinyPdf({ pages: [["some words"], ["some more words"]] });
    const limits = { maxTextChars: 12, chunkTokens: 1024 };
    expect(await failureOf(parseAs("a.pdf", bytes, { limits }))).toMatchObject({ failure: "too_complex" });
  });
});
