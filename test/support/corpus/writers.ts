import * as binary from "./binary-writers.ts";
import type { Story } from "./story.ts";
import * as text from "./text-writers.ts";

export interface Writer {
  /** The name of the file tells which format it is. */
  readonly file: string;
  readonly write: (story: Story) => string | Uint8Array;
  /** It is given stories of ASCII alone. */
  readonly ascii?: true;
  /** The story's headings are headings in it. */
  readonly headings?: true;
}

/** One line for each format: a new reader joins the laws by a line of its own. */
export const writers: readonly Writer[] = [
  { file: "story.md", write: text.markdown, headings: true },
  { file: "story.org", write: text.org, headings: true },
  { file: "story.rst", write: text.rst, headings: true },
  { file: "story.adoc", write: text.asciidoc, headings: true },
  { file: "story.tex", write: text.latex, headings: true },
  { file: "story.html", write: text.html, headings: true },
  { file: "story.mhtml", write: text.mhtml, headings: true },
  { file: "story.eml", write: text.eml },
  { file: "story.mbox", write: text.mbox },
  { file: "story.msg", write: binary.msg },
  { file: "story.txt", write: text.plain },
  { file: "story.csv", write: text.csv },
  { file: "story.json", write: text.json },
  { file: "story.jsonl", write: text.jsonLines },
  { file: "story.yaml", write: text.yaml },
  { file: "story.toml", write: text.toml },
  { file: "story.xml", write: text.xml },
  { file: "story.ipynb", write: text.notebook, headings: true },
  { file: "story.srt", write: text.srt },
  { file: "story.vtt", write: text.vtt },
  { file: "story.rtf", write: text.rtf },
  { file: "story.js", write: text.javascript },
  { file: "story.py", write: text.python },
  { file: "story.docx", write: binary.docx, headings: true },
  { file: "story.odt", write: binary.odt, headings: true },
  { file: "story.pptx", write: binary.pptx, headings: true },
  { file: "story.odp", write: binary.odp, headings: true },
  { file: "story.epub", write: binary.epub, headings: true },
  { file: "story.xlsx", write: binary.xlsx },
  { file: "story.xls", write: binary.xls },
  { file: "story.ods", write: binary.ods },
  { file: "story.pdf", write: binary.pdf, ascii: true },
];
