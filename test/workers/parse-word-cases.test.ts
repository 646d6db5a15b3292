import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const folder = fileURLToPath(new URL("../../../shared/cases", import.meta.url));
const missing = !existsSync(join(folder, "cases.tsv"));
if (missing) console.warn("The hard inputs of ../shared/cases are not here: their tests are skipped.");

const read = (file: string) => parseAs(file, readFileSync(join(folder, file)));

describe.skipIf(missing)("hard word-processing documents", () => {
  it.each([
    ["docx/mammoth-tables.docx", ["| Top left | Top right |\n| --- | --- |\n| Bottom left | Bottom right |"]],
    ["docx/poi-Bug54771a.docx", ["Test Subtitle", "Safeassign1"]],
    ["docx/poi-TestPackageThumbnail.docx", ["Lorem ipsum dolor", "Pellentesque cursus"]],
    ["docx/poi-ThreeColFoot.docx", ["This is page two.", "Footer Left Footer Middle Footer Right"]],
    ["docx/poi-hello-world-office-2010-technical-preview-unsigned.docx", ["Hello world"]],
    ["docx/poi-hyperlink-example-signed.docx", ["info@e-contract.be"]],
    ["docx/poi-unicode-path.docx", ["1"]],
    ["docx/tika-testWORD_endnote_table.docx", ["[1] Endnote Test", "The Cat Property Act 2025"]],
    ["docx/unstructured-docx-hdrftr.docx", ["First header para", "| Table cell1 | Table cell2 |", "para2"]],
    ["odt/tika-testFooter.odt", ["Here is some text on page 2", "Here is footer text"]],
    ["odt/tika-testNPEOpenDocument.odt", ["Práctica de GnuPG", "2. Generar la clave"]],
    ["odt/tika-testODTNoMeta.odt", ["Test text"]],
    ["odt/tika-testODT_svgTitleInStyledSpan.odt", ["國立雲林科技大學", "學生簽章"]],
    ["rtf/tika-testOptionalHyphen.rtf", ["optionalhyphen"]],
    [
      "rtf/tika-testRTFVarious.rtf",
      ["[1] This is a footnote.", "- Bullet 3", "3. Number bullet 3", "𐌲𐌿𐍄𐌹𐍃𐌺"],
    ],
    ["rtf/tika-testRTFHyperlink.rtf", ["Thank you for using Microsoft® Office Outlook®"]],
    ["rtf/tika-testRTFControls.rtf", ["em—dash", "non-breakinghyphen", "“Double quoted text”"]],
    ["rtf/tika-testRTFNewlines.rtf", ["one\n\ntwo\n\nthree\n\nfour"]],
    ["rtf/tika-testRTFUnicodeUCNControlWordCharacterDoubling.rtf", ["年 abc 念"]],
    ["rtf/tika-testRTFJapanese.rtf", ["ゾルゲと尾崎、淡々と最期", "渡部富哉さん"]],
    ["rtf/tika-testRTF-ms932.rtf", ["こんにちは", "テスト"]],
    // Only its theme is damaged.
    [
      "office-hostile/poi-clusterfuzz-testcase-minimized-POIXWPFFuzzer-6733884933668864.docx",
      ["Content control"],
    ],
  ])("%s: a person finds %j", async (file, expected) => {
    const document = await read(file);
    const text = textOfParts(document);
    for (const words of expected) expect(text).toContain(words);
    expect(text).not.toContain("\uFFFD");
    expect(document.warnings).toEqual([]);
  });

  it.each([
    ["office-encrypted/tika-testODTEncrypted.odt", "needs_password"],
    ["office-hostile/poi-clusterfuzz-testcase-minimized-POIXWPFFuzzer-5569740188549120.docx", "corrupt"],
  ])("K4.5 %s: %s", async (file, failure) => {
    expect((await failureOf(read(file))).failure).toBe(failure);
  });

  it("titles come in their own script", async () => {
    expect((await read("rtf/tika-testRTF-ms932.rtf")).title).toBe("タイトル");
  });
});
