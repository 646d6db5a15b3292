// Files of each format for the benchmark of formats.
import { book, deck, openText, wordFile } from "./packages.mjs";
import { bytes, html, pages, prose, times } from "./prose.mjs";

const markdown = {
  heading: (text) => `## ${text}\n`,
  paragraph: (text) => `${text}\n`,
  list: (items) => `${items.map((item) => `- ${item}`).join("\n")}\n`,
  table: ([head, ...rows]) =>
    `| ${head.join(" | ")} |\n| --- | --- | --- |\n${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}\n`,
};
const rich = {
  heading: (text) => `{\\pard\\b ${text}\\par}`,
  paragraph: (text) => `{\\pard ${text}\\par}`,
  list: (items) => items.map((item) => `{\\pard\\bullet  ${item}\\par}`).join(""),
  table: (rows) =>
    rows.map((row) => `\\trowd ${row.map((cell) => `${cell}\\cell `).join("")}\\row `).join(""),
};

function pdf(count, seed) {
  const objects = ["", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"];
  const kids = times(count, (at) => {
    const { heading, sentence } = prose(seed * 1000 + at);
    const lines = [heading(), ...times(45, () => sentence(11))];
    const draw = `BT /F 10 Tf 14 TL 60 760 Td ${lines.map((line) => `(${line}) Tj T*`).join(" ")} ET`;
    objects.push(`<</Length ${draw.length}>>\nstream\n${draw}\nendstream`);
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${objects.length} 0 R/Resources<</Font<</F 3 0 R>>>>>>`,
    );
    return `${objects.length} 0 R`;
  });
  objects[0] = "<</Type/Catalog/Pages 2 0 R>>";
  objects[1] = `<</Type/Pages/Count ${count}/Kids[${kids.join(" ")}]>>`;
  const offsets = [];
  let text = "%PDF-1.4\n";
  objects.forEach((object, at) => {
    offsets.push(text.length);
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  return bytes(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF`,
  );
}

function webPage(seed) {
  const { sentence } = prose(seed);
  const links = times(60, (at) => `<li><a href="/p/${at}">${sentence(3)}</a></li>`).join("");
  return bytes(
    `<!doctype html><html lang="en"><head><title>${sentence(4)}</title><style>p { margin: 0 }</style></head><body>` +
      `<nav><ul>${links}</ul></nav><main>${pages(4, seed, html)}</main><footer>${sentence(8)}</footer></body></html>`,
  );
}

function mail(seed) {
  const { sentence, paragraph } = prose(seed);
  return `From: Ada <ada@example.org>\nTo: Ben <ben@example.org>\nSubject: ${sentence(5)}\nDate: Mon, 2 Mar 2026 10:00:00 +0000\nMessage-ID: <${seed}@example.org>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n${times(6, paragraph).join("\n\n")}\n`;
}

function table(rows, seed) {
  const { sentence, below } = prose(seed);
  const lines = times(rows, (at) => `${at},${sentence(3)},${below(100_000) / 100},2026-01-${1 + below(28)}`);
  return `id,name,amount,day\n${lines.join("\n")}\n`;
}

async function sheet(rows, seed) {
  const { default: xlsx } = await import("@e965/xlsx");
  const cells = table(rows, seed)
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  const workbook = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(workbook, xlsx.utils.aoa_to_sheet(cells), "Data");
  return workbook;
}

const subtitles = (seed) => {
  const { sentence } = prose(seed);
  const clock = (s) =>
    `${String(Math.floor(s / 3600)).padStart(2, "0")}:${String(Math.floor(s / 60) % 60).padStart(2, "0")}:${String(s % 60).padStart(2, "0")},000`;
  return times(900, (at) => `${at + 1}\n${clock(at * 4)} --> ${clock(at * 4 + 3)}\n${sentence(7)}\n`).join(
    "\n",
  );
};

const code = (seed) => {
  const { below } = prose(seed);
  return times(
    80,
    (at) =>
      `/** Rotates key ${at}. */\nexport function rotate${at}(key: string): number {\n  let sum = ${below(100)};\n${times(12, (line) => `  if (key.length > ${line}) sum += key.charCodeAt(${line}) * ${below(50)};`).join("\n")}\n  return sum;\n}\n`,
  ).join("\n");
};

const notebook = (seed) => {
  const { paragraph } = prose(seed);
  const cell = (at) =>
    at % 2 === 0
      ? { cell_type: "markdown", metadata: {}, source: [`## Step ${at}\n`, paragraph()] }
      : {
          cell_type: "code",
          metadata: {},
          source: ["x = 1\n", "print(x)"],
          outputs: [{ output_type: "stream", name: "stdout", text: [paragraph()] }],
          execution_count: at,
        };
  return JSON.stringify({
    cells: times(40, cell),
    metadata: { language_info: { name: "python" } },
    nbformat: 4,
    nbformat_minor: 5,
  });
};

/** name, files and, where people count in them, pages or the like. `bar` is what is to be reached. */
export function samples() {
  return [
    {
      name: "pdf",
      extension: "pdf",
      unit: "pages",
      unitsPerFile: 100,
      bar: "30 pages/s",
      files: times(4, (at) => pdf(100, at)),
    },
    {
      name: "html",
      extension: "html",
      unit: "pages",
      unitsPerFile: 1,
      bar: "20 pages/s",
      files: times(60, webPage),
    },
    {
      name: "docx",
      extension: "docx",
      unit: "files",
      unitsPerFile: 1,
      bar: "20 files/s of 10 pages",
      files: times(30, wordFile),
    },
    { name: "odt", extension: "odt", files: times(30, openText) },
    {
      name: "rtf",
      extension: "rtf",
      files: times(30, (at) => bytes(`{\\rtf1\\ansi ${pages(10, at, rich)}}`)),
    },
    { name: "pptx", extension: "pptx", unit: "slides", unitsPerFile: 30, files: times(30, deck) },
    { name: "epub", extension: "epub", unit: "chapters", unitsPerFile: 20, files: times(10, book) },
    {
      name: "csv",
      extension: "csv",
      unit: "rows",
      unitsPerFile: 20_000,
      files: times(5, (at) => bytes(table(20_000, at))),
    },
    { name: "eml", extension: "eml", files: times(300, (at) => bytes(mail(at))) },
    {
      name: "mbox",
      extension: "mbox",
      unit: "messages",
      unitsPerFile: 1000,
      files: times(3, (at) =>
        bytes(times(1000, (n) => `From ada Mon Mar  2 10:00:00 2026\n${mail(at * 1000 + n)}`).join("\n")),
      ),
    },
    { name: "srt", extension: "srt", files: times(30, (at) => bytes(subtitles(at))) },
    { name: "notebook", extension: "ipynb", files: times(30, (at) => bytes(notebook(at))) },
    { name: "typescript", extension: "ts", files: times(30, (at) => bytes(code(at))) },
    { name: "markdown", extension: "md", files: times(60, (at) => bytes(pages(10, at, markdown))) },
    {
      name: "org",
      extension: "org",
      files: times(30, (at) => bytes(pages(10, at, { ...markdown, heading: (text) => `* ${text}` }))),
    },
    {
      name: "rst",
      extension: "rst",
      files: times(30, (at) =>
        bytes(
          pages(10, at, {
            ...markdown,
            heading: (text) => `${text}\n${"=".repeat(text.length)}\n`,
            table: () => "",
          }),
        ),
      ),
    },
    {
      name: "asciidoc",
      extension: "adoc",
      files: times(30, (at) =>
        bytes(pages(10, at, { ...markdown, heading: (text) => `== ${text}\n`, table: () => "" })),
      ),
    },
    {
      name: "latex",
      extension: "tex",
      files: times(30, (at) =>
        bytes(
          `\\documentclass{article}\\begin{document}\n${pages(10, at, { ...markdown, heading: (text) => `\\section{${text}}`, list: (items) => `\\begin{itemize}${items.map((item) => `\\item ${item}`).join("\n")}\\end{itemize}`, table: () => "" })}\\end{document}`,
        ),
      ),
    },
    {
      name: "text",
      extension: "txt",
      files: times(60, (at) =>
        bytes(pages(10, at, { ...markdown, heading: (text) => text, table: () => "" })),
      ),
    },
  ];
}

/** Workbooks need their library to be loaded. */
export async function workbooks() {
  const { default: xlsx } = await import("@e965/xlsx");
  const books = await Promise.all(times(3, (at) => sheet(10_000, at)));
  const as = (bookType) =>
    books.map((workbook) => Buffer.from(xlsx.write(workbook, { type: "buffer", bookType })));
  return ["xlsx", "xls", "ods"].map((extension) => ({
    name: extension,
    extension,
    unit: "rows",
    unitsPerFile: 10_000,
    files: as(extension === "xls" ? "biff8" : extension),
  }));
}
