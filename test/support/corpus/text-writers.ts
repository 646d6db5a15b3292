import { type Block, chaptersOf, linesOf, rowsOf, type Story } from "./story.ts";

type Write = (block: Block) => string;

const joined = (story: Story, write: Write, joint = "\n\n"): string =>
  `${story.blocks.map(write).join(joint)}\n`;

export function markdown(story: Story): string {
  return `---\ntitle: A story\ntags: [one, two]\n---\n\n${joined(story, markdownBlock)}`;
}

export const markdownBlock: Write = (block) => {
  if (block.kind === "heading") return `${"#".repeat(block.level)} ${block.text}`;
  if (block.kind === "list") return block.items.map((item) => `- ${item}`).join("\n");
  if (block.kind === "code") return ["```js", ...block.lines, "```"].join("\n");
  if (block.kind === "paragraph") return block.text;
  const [head = [], ...rows] = block.rows;
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
};

export function org(story: Story): string {
  return joined(story, (block) => {
    if (block.kind === "heading") return `${"*".repeat(block.level)} ${block.text}`;
    if (block.kind === "code") return ["#+begin_src js", ...block.lines, "#+end_src"].join("\n");
    if (block.kind === "table") return block.rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
    return markdownBlock(block);
  });
}

export function rst(story: Story): string {
  return joined(story, (block) => {
    if (block.kind === "heading")
      return `${block.text}\n${"=-~"[block.level - 1]?.repeat(block.text.length * 2) ?? ""}`;
    if (block.kind === "code")
      return `.. code-block:: js\n\n${block.lines.map((line) => `   ${line}`).join("\n")}`;
    if (block.kind === "table")
      return `.. list-table::\n\n${block.rows.map((cells) => cells.map((cell, at) => `   ${at === 0 ? "*" : " "} - ${cell}`).join("\n")).join("\n")}`;
    return markdownBlock(block);
  });
}

export function asciidoc(story: Story): string {
  return joined(story, (block) => {
    if (block.kind === "heading") return `${"=".repeat(block.level)} ${block.text}`;
    if (block.kind === "list") return block.items.map((item) => `* ${item}`).join("\n");
    if (block.kind === "code") return ["[source,js]", "----", ...block.lines, "----"].join("\n");
    if (block.kind === "table")
      return ["|===", ...block.rows.map((cells) => cells.map((cell) => `| ${cell}`).join(" ")), "|==="].join(
        "\n",
      );
    return block.text;
  });
}

export function latex(story: Story): string {
  const plain = (text: string): string => text.replaceAll(/[&%$#_{}]/g, String.raw`\$&`);
  const body = joined(story, (block) => {
    if (block.kind === "heading") return `\\${"sub".repeat(block.level - 1)}section{${plain(block.text)}}`;
    if (block.kind === "list")
      return `\\begin{itemize}\n${block.items.map((item) => `\\item ${plain(item)}`).join("\n")}\n\\end{itemize}`;
    if (block.kind === "code") return `\\begin{verbatim}\n${block.lines.join("\n")}\n\\end{verbatim}`;
    if (block.kind === "table")
      return `\\begin{tabular}{ll}\n${block.rows.map((cells) => `${cells.map(plain).join(" & ")} \\\\`).join("\n")}\n\\end{tabular}`;
    return plain(block.text);
  });
  return `\\documentclass{article}\n\\begin{document}\n${body}\\end{document}\n`;
}

export const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

export const htmlBlock: Write = (block) => {
  if (block.kind === "heading") return `<h${block.level}>${escaped(block.text)}</h${block.level}>`;
  if (block.kind === "list")
    return `<ul>${block.items.map((item) => `<li>${escaped(item)}</li>`).join("")}</ul>`;
  if (block.kind === "code")
    return `<pre><code class="language-js">${escaped(block.lines.join("\n"))}</code></pre>`;
  if (block.kind === "paragraph") return `<p>${escaped(block.text)}</p>`;
  const row = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
  return `<table>${block.rows.map((cells, at) => row(cells, at === 0 ? "th" : "td")).join("")}</table>`;
};

export function html(story: Story): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A story</title></head><body><article>${joined(story, htmlBlock, "\n")}</article></body></html>`;
}

export function mhtml(story: Story): string {
  const page = Buffer.from(html(story), "utf8").toString("base64").replaceAll(/.{76}/g, "$&\r\n");
  return `From: <Saved by a browser>\r\nSubject: A story\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: base64\r\nContent-Location: https://example.org/\r\n\r\n${page}\r\n--b--\r\n`;
}

const message = (subject: string, id: number, text: string): string =>
  `From: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nDate: Tue, 01 Sep 2026 10:00:00 +0000\nMessage-ID: <m${id}@example.org>\nSubject: ${subject}\nMIME-Version: 1.0\nContent-Type: text/plain; charset="utf-8"\nContent-Transfer-Encoding: 8bit\n\n${text}\n`;

export function eml(story: Story): string {
  return message("A story", 1, linesOf(story).join("\n\n"));
}

export function mbox(story: Story): string {
  return chaptersOf(story)
    .map(
      (blocks, at) =>
        `From ann@example.org Tue Sep  1 10:00:00 2026\n${message(`Part ${at}`, at, linesOf({ blocks, marks: [] }).join("\n"))}\n`,
    )
    .join("");
}

export function plain(story: Story): string {
  return joined(
    { ...story, blocks: linesOf(story).map((text) => ({ kind: "paragraph", text })) },
    markdownBlock,
  );
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
export const csv = (story: Story): string =>
  `${rowsOf(story)
    .map((row) => row.map(quoted).join(","))
    .join("\r\n")}\r\n`;

export const json = (story: Story): string =>
  `${JSON.stringify({ title: "A story", lines: linesOf(story) }, null, 2)}\n`;
export const jsonLines = (story: Story): string =>
  linesOf(story)
    .map((text) => `${JSON.stringify({ text })}\n`)
    .join("");
export const yaml = (story: Story): string =>
  `title: A story\nlines:\n${linesOf(story)
    .map((line) => `  - ${JSON.stringify(line)}\n`)
    .join("")}`;
export const toml = (story: Story): string =>
  `title = "A story"\n${linesOf(story)
    .map((line, at) => `line${at} = ${JSON.stringify(line)}\n`)
    .join("")}`;
export const xml = (story: Story): string =>
  `<?xml version="1.0"?>\n<story>\n${linesOf(story)
    .map((line) => `  <line>${escaped(line)}</line>\n`)
    .join("")}</story>\n`;

export function notebook(story: Story): string {
  const cells = story.blocks.map((block) =>
    block.kind === "code"
      ? {
          cell_type: "code",
          metadata: {},
          execution_count: 1,
          outputs: [],
          source: block.lines.map((line) => `${line}\n`),
        }
      : { cell_type: "markdown", metadata: {}, source: markdownBlock(block) },
  );
  const metadata = { kernelspec: { language: "javascript", name: "js", display_name: "JS" } };
  return JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells });
}

const time = (second: number, mark: string): string =>
  `${[Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60].map((part) => String(part).padStart(2, "0")).join(":")}${mark}000`;
const cues = (story: Story, mark: string): string[] =>
  linesOf(story).map((line, at) => `${time(at * 4, mark)} --> ${time(at * 4 + 3, mark)}\n${line}\n`);
export const srt = (story: Story): string =>
  cues(story, ",")
    .map((cue, at) => `${at + 1}\n${cue}`)
    .join("\n");
export const vtt = (story: Story): string =>
  `WEBVTT\n\n${cues(story, ".").join("\n").replaceAll("&", "&amp;").replaceAll("x < y", "x &lt; y")}`;

export function rtf(story: Story): string {
  const units = (text: string): string =>
    Array.from({ length: text.length }, (_, at) => {
      const code = text.charCodeAt(at);
      if (code > 126) return `\\u${code > 32767 ? code - 65536 : code}?`;
      return /[\\{}]/.test(text[at] ?? "") ? `\\${text[at]}` : (text[at] ?? "");
    }).join("");
  return `{\\rtf1\\ansi\\uc1 ${linesOf(story)
    .map((line) => `${units(line)}\\par\n`)
    .join("")}}`;
}

/** A function for each block, with its text in the comment above it. */
export function javascript(story: Story): string {
  return `import x from "y";\n\n${linesOf(story)
    .map(
      (line, at) =>
        `/** ${line} */\nexport function step${at}(a) {\n  return [\n    ${JSON.stringify(line)},\n    a,\n  ];\n}\n`,
    )
    .join("\n")}`;
}

export function python(story: Story): string {
  return `class Story:\n${linesOf(story)
    .map(
      (line, at) =>
        `    # ${line}\n    @cached\n    def step${at}(self):\n        return ${JSON.stringify(line)}\n`,
    )
    .join("\n")}`;
}
