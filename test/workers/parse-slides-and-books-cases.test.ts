import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const folder = fileURLToPath(new URL("../../../shared/cases", import.meta.url));
const missing = !existsSync(folder);
if (missing) console.warn("The hard inputs of ../shared/cases are not here: their tests are skipped.");

const parse = (file: string): ReturnType<typeof parseAs> => parseAs(file, readFileSync(join(folder, file)));

describe.skipIf(missing)("hard inputs: slides and books", () => {
  it.each([
    ["pptx/docling-powerpoint_issue_2663.pptx", "Open-Source Software", "- Strong global community"],
    ["pptx/poi-copy-slide-demo.pptx", "demo", "Copy slide test"],
    ["pptx/poi-sample.pptx", "Lorem ipsum dolor sit amet", "- ipsum\n"],
    ["pptx/unstructured-fake-power-point-malformed.pptx", "Test Slide", "Problem Date Placeholder"],
    [
      "pptx/unstructured-fake-power-point.pptx",
      "Adding a Bullet Slide",
      "  - Use _TextFrame.text for first bullet",
    ],
    ["odp/tika-LibreOfficeImpress_odp_1.3.odp", "This is", "An example Impress file"],
    ["epub/tika-testEPUB_xml_ext.epub", "1984", "It was a bright cold day in April"],
    ["epub/epubcheck-valid.epub", "Minimal EPUB 3.0", "Call me Ishmael."],
    ["epub/epubcheck-ocf-directory-empty-warning.epub", "Minimal EPUB 2.0", "Call me Ishmael."],
    [
      "epub/epubcheck-ocf-filename-character-forbidden-non-publication-resource-error.epub",
      "Minimal EPUB 3.0",
      "Call me Ishmael.",
    ],
    [
      "epub/epubcheck-ocf-filename-duplicate-after-canonical-normalization-error.epub",
      "Minimal EPUB 3.0",
      "Call me Ishmael.",
    ],
  ])("%s: indexed as %s", async (file, title, text) => {
    const document = await parse(file);
    expect(document).toMatchObject({ title, warnings: [] });
    expect(textOfParts(document)).toContain(text);
  });

  it("chapters whose names differ in case alone are both indexed", async () => {
    const file = "epub/epubcheck-ocf-filename-duplicate-after-common-case-folding-error.epub";
    expect((await parse(file)).parts).toHaveLength(2);
  });

  it.each(["pptx/poi-sample_pptx_grouping_issues.pptx", "odp/tika-testODPMacro.odp"])(
    "K4.5 %s: its only slide has shapes without any text, and that is said",
    async (file) => {
      expect(await failureOf(parse(file))).toMatchObject({ failure: "no_text" });
    },
  );
});
