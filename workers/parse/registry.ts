import { asciidocReader } from "./asciidoc.ts";
import { codeReader } from "./code.ts";
import { csvReader } from "./csv.ts";
import { emlReader } from "./eml.ts";
import { docxReader } from "./docx.ts";
import { epubReader } from "./epub.ts";
import { htmlReader } from "./html.ts";
import { jsonReader } from "./json.ts";
import { latexReader } from "./latex.ts";
import { markdownReader } from "./markdown.ts";
import { mboxReader } from "./mbox.ts";
import { mhtmlReader } from "./mhtml.ts";
import { msgReader } from "./msg.ts";
import { notebookReader } from "./notebook.ts";
import { odpReader } from "./odp.ts";
import { odsReader } from "./ods.ts";
import { orgReader } from "./org.ts";
import { odtReader } from "./odt.ts";
import { oleReader } from "./ole.ts";
import { pdfReader } from "./pdf.ts";
import { plainReader } from "./plain.ts";
import { pptxReader } from "./pptx.ts";
import { type Probe, type Reader, ReadProblem } from "./reader.ts";
import { rstReader } from "./rst.ts";
import { subtitlesReader } from "./subtitles.ts";
import { rtfReader } from "./rtf.ts";
import { xlsReader } from "./xls.ts";
import { xlsxReader } from "./xlsx.ts";
import { tomlReader } from "./toml.ts";
import { xmlReader } from "./xml.ts";
import { yamlReader } from "./yaml.ts";

/** All readers; the first that recognises a file reads it. */
export const readers: readonly Reader[] = [
  pdfReader,
  pptxReader,
  odpReader,
  xlsxReader,
  odsReader,
  xlsReader,
  epubReader,
  docxReader,
  odtReader,
  rtfReader,
  oleReader,
  mhtmlReader,
  mboxReader,
  emlReader,
  notebookReader,
  subtitlesReader,
  msgReader,
  markdownReader,
  orgReader,
  rstReader,
  asciidocReader,
  latexReader,
  htmlReader,
  csvReader,
  jsonReader,
  yamlReader,
  tomlReader,
  xmlReader,
  codeReader,
  plainReader,
];

/** `<id>@<version>`, as documents keep it. */
export function parserName(reader: Reader): string {
  return `${reader.id}@${reader.version}`;
}

/** Extensions of formats that are no text: when the bytes disagree, the name is what is wrong or the file is damaged. */
const binaryExtensions: ReadonlySet<string> = new Set(
  "pdf docx xlsx pptx odt ods odp epub doc xls ppt msg zip gz png jpg jpeg gif webp mp3 mp4".split(" "),
);

/** @throws ReadProblem unsupported or corrupt when no reader takes the file. */
export function chooseReader(probe: Probe, table: readonly Reader[] = readers): Reader {
  const reader = table.find((candidate) => candidate.recognises(probe));
  if (reader !== undefined) return reader;
  if (probe.mediaType !== null)
    throw new ReadProblem("unsupported", `Files of type ${probe.mediaType} are not read.`);
  if (binaryExtensions.has(probe.extension)) {
    const message = `It is named .${probe.extension}, but its bytes are of no known format: it is damaged or cut off.`;
    throw new ReadProblem("corrupt", message);
  }
  throw new ReadProblem("unsupported", "Its bytes are neither text nor of a known format.");
}
