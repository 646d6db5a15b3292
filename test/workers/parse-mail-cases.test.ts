import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseAs, textOfParts } from "../support/parse.ts";

const folder = fileURLToPath(new URL("../../../shared/cases", import.meta.url));
const missing = !existsSync(join(folder, "cases.tsv"));
if (missing) console.warn("The hard inputs of ../shared/cases are not here: their tests are skipped.");

/** File → its title and what must stand in its text. */
const expected: readonly (readonly [file: string, title: string | null, ...texts: string[]])[] = [
  ["eml/mailparser-base64encodedroot.eml", null, "From: test@example.com", "Attachments: screenshot.png"],
  ["eml/rubymail-attachment_content_location.eml", "testing", "This is the first part."],
  [
    "eml/rubymail-attachment_pdf.eml",
    "Another PDF with 🎉 Unicode chars in it 🍿",
    "Just attaching another PDF",
  ],
  [
    "eml/rubymail-attachment_with_encoded_name.eml",
    "Fwd: Signed email causes file attachments",
    "oddly encoded",
  ],
  [
    "eml/rubymail-content_transfer_encoding_x_uuencode.eml",
    "PGP Comments on RTO West Release of Dec. 14",
    "Generating Pool",
  ],
  ["eml/rubymail-email_with_similar_boundaries.eml", "Xxxxxx", "\n\nTest"],
  [
    "eml/rubymail-japanese_attachment_long_name.eml",
    "まみむめも".repeat(10),
    "かきくけこ",
    "this is the data",
  ],
  ["eml/rubymail-japanese_shift_jis.eml", "test", "今後ともよろしくお願い申し上げます"],
  [
    "eml/rubymail-raw_email_with_mimepart_without_content_type.eml",
    "Warning: could not send message for past 1 day",
    "THIS IS A WARNING",
    "Action: delayed",
    "je ne suis pas sur",
  ],
  [
    "eml/rubymail-report_530.eml",
    "Returned mail: see transcript for details",
    "Unknown E-Mail",
    "Status: 5.3.0",
  ],
  ["eml/tika-testThunderbirdEml.eml", "JUnit test message", "Dear Vladimir"],
  [
    "eml/unstructured-email-equals-attachment-filename.eml",
    "Odd filename example",
    "odd=file=name.txt",
    "Odd filename\n",
  ],
  [
    "eml/unstructured-email-replace-mime-encodings-error-1.eml",
    "Someone has joined your meeting - Someone: 45 Minute Meeting",
    "869 1664 1575",
  ],
  ["mbox/tika-headers.mbox", "subject", "Test content"],
  ["mbox/tika-multiline2.mbox", null, "Test content", "or other"],
  ["mbox/tika-testMBOX_lengthy_x-headers.mbox", "RE: Var simulation", "the quick brown fox"],
  ["msg/tika-testMSG.msg", "MIME registry use cases", "From: Jukka Zitting <jukka.zitting@gmail.com>", "BR,"],
  [
    "msg/tika-testMSG_Appointment.msg",
    "Quick brown fox",
    "Location: under lazy dog",
    "Start: 2017-02-28 18:30 UTC",
  ],
  ["text/unstructured-fake-email-utf-16.eml", "Test Email", "Roses are red"],
  ["text/unstructured-fake-email-utf-16-le.eml", "Test Email", "Violets are blue"],
  ["text/unstructured-fake-email-utf-16-be.eml", "Test Email", "Roses are red"],
  ["subtitles/chardet-bom-utf-16-le.srt", null, "About 2 months ago", "organize a global awareness day"],
  [
    "subtitles/docling-webvtt_example_01.vtt",
    null,
    "Neil deGrasse Tyson: Laughs",
    "my glasses are falling off here.",
  ],
  ["subtitles/docling-webvtt_example_02.vtt", null, "Esme: Hee! laughter", "Sur les playground"],
  [
    "subtitles/docling-webvtt_example_03.vtt",
    null,
    "Speaker A: OK, I think now we should be recording properly.",
  ],
  ["subtitles/tika-testWebVTT.vtt", null, "rich and entertaining", "Simply for everyone"],
  ["subtitles/tika-testWebVTT_header.vtt", null, "- What?\n- Where are we now?"],
  ["notebook/cookbook-using_citations.ipynb", "Citations", "```python", "Raw response:"],
  [
    "notebook/cookbook-02_The_observability_agent.ipynb",
    "02 - The Observability Agent",
    "🤖 Using: mcp__git()",
  ],
  [
    "notebook/cookbook-how_to_make_sql_queries.ipynb",
    "How to make SQL queries with Claude",
    "('Jane Smith', 75000)",
  ],
];

describe.skipIf(missing)("hard inputs of mail, subtitles and notebooks", () => {
  const table = expected.map(([file, title, ...texts]) => ({ file, title, texts }));
  it.each(missing ? [] : table)("$file has its title and its text", async ({ file, title, texts }) => {
    const bytes = readFileSync(join(folder, file));
    const parsed = await parseAs(file.slice(file.indexOf("/") + 1), bytes);
    expect(parsed.title).toBe(title);
    for (const text of texts) expect(textOfParts(parsed)).toContain(text);
    expect(textOfParts(parsed)).not.toMatch(/=\?utf-8|<c\.|<v |WEBVTT|image\/png|\[0m/i);
  });
});
