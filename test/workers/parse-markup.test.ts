import { describe, expect, it } from "vitest";
import { chunkParts } from "../../workers/chunk/chunk.ts";
import type { ParsedDocument } from "../../workers/parse/parse-bytes.ts";
import { base } from "../support/chunking.ts";
import { parseAs, textOfParts } from "../support/parse.ts";

/** Text of a document without its blank lines. */
async function linesOf(name: string, text: string): Promise<string[]> {
  return textOfParts(await parseAs(name, text))
    .split("\n")
    .filter((line) => line !== "");
}

function pathsOf(document: ParsedDocument): string[] {
  const { chunks } = chunkParts(document.parts, { ...base, chunkSize: 12, chunkOverlap: 0 });
  return [...new Set(chunks.map((chunk) => chunk.headings.join(" > ")))];
}

/** Where a chunk that holds `words` stands in the file, by its locator. */
function lineOf(document: ParsedDocument, words: string): number | undefined {
  const { chunks, text } = chunkParts(document.parts, { ...base, chunkSize: 6, chunkOverlap: 0 });
  return chunks.find((chunk) => text.slice(chunk.charStart, chunk.charEnd).includes(words))?.locator
    ?.lineStart;
}

const org = `:PROPERTIES:
:ID: 9f1
:ROAM_ALIASES: "Glasshouse" warm
:END:
#+TITLE: Greenhouse
#+AUTHOR: Ann Gardener
#+DATE: <2024-03-05 Tue>
#+FILETAGS: :garden:plants:
# a remark for the writer
See [[https://example.org/x][the site]], [[file:soil.org][soil]] and ~pump.start()~.
* TODO [#A] Water tomatoes :urgent:
:PROPERTIES:
:CUSTOM_ID: w
:SOURCE: a neighbour
:END:
** How
#+BEGIN_SRC python :results output
def pour():
    return 1
#+END_SRC
| Plant | kg |
|-------+----|
| Bean  | 3  |
`;

const rst = `============
 The Manual
============

:Author: Jane Doe
:Date: 2024-02-03
:Tags: tools, search

.. |prod| replace:: Knowd
.. _site: https://example.org

|prod| has a site_ and \`words <https://example.org/w>\`_ and :func:\`os.path.join\`.

.. a remark for the writer

Install
=======

Run::

    make all

.. note:: Take care.

   .. code-block:: c

      int x;

Sizes
-----

+------+-------+
| Name | Value |
+======+=======+
| a    | one   |
|      | two   |
+------+-------+

=====  ====
 Key    To
=====  ====
 b      3
=====  ====

.. include:: other.rst
`;

const asciidoc = `= Guide to {product}
Jane Doe <jane@example.org>
v1.2, 2024-03-04
:product: Knowd
:keywords: search, local

See https://example.org[the site^] and <<install,how to install>>.

== Install
// a remark for the writer
[source,bash]
----
== no heading
----

=== Sizes
[cols="1,1",options="header"]
|===
|Name |Value

|a
|one
|===
include::other.adoc[]
* item
** deeper
`;

const latex = String.raw`\documentclass{article}
% a remark for the writer
\newcommand{\prod}{Knowd}
\title{Caf\'e \emph{Life}\thanks{Funded}}
\author{Jane Doe \and Bob M\"uller}
\date{March 4, 2024}
\begin{document}
\maketitle
\section{Start} The \prod{} way is \textbf{good} --- 5\,\%. % not this
See \href{https://example.org}{the site}, \texttt{foo\_bar} and $x^2$.
\subsection{Sizes}
\begin{itemize}
  \item one
\end{itemize}
\begin{lstlisting}[language=Python]
% code
\end{lstlisting}
\begin{tabular}{l|r}
Name & Value \\ \hline
a & one \\
\end{tabular}
\input{chapters/one}
\end{document}
not shown
`;

describe("markup becomes Markdown, each line with the line of the file it comes from", () => {
  it("Org: title, headings, code, tables, links, tags", async () => {
    const document = await parseAs("a.org", org);
    expect(document).toMatchObject({
      format: "org",
      title: "Greenhouse",
      metadata: {
        author: "Ann Gardener",
        date: "2024-03-05",
        tags: ["garden", "plants", "urgent"],
        aliases: ["Glasshouse", "warm"],
      },
    });
    expect(await linesOf("a.org", org)).toEqual([
      "# Greenhouse",
      "See [the site](https://example.org/x), soil and `pump.start()`.",
      "## TODO [#A] Water tomatoes :urgent:",
      "SOURCE: a neighbour",
      "### How",
      "```python",
      "def pour():",
      "    return 1",
      "```",
      "| Plant | kg |",
      "| --- | --- |",
      "| Bean | 3 |",
    ]);
    expect(pathsOf(document).at(-1)).toBe("Greenhouse > Water tomatoes > How");
    expect(lineOf(document, "Bean")).toBe(23);
  });

  it("reStructuredText: docinfo, sections, literal blocks, directives, tables", async () => {
    const document = await parseAs("a.rst", rst);
    expect(document).toMatchObject({
      format: "rst",
      metadata: {
        author: "Jane Doe",
        date: "2024-02-03",
        tags: ["tools", "search"],
        includes: ["other.rst"],
      },
    });
    expect((await linesOf("a.rst", rst)).slice(4)).toEqual([
      "Knowd has a [site](https://example.org) and [words](https://example.org/w) and `os.path.join`.",
      "## Install",
      "Run:",
      "```",
      "make all",
      "```",
      "Note: Take care.",
      "```c",
      "int x;",
      "```",
      "### Sizes",
      "| Name | Value |",
      "| --- | --- |",
      "| a | one two |",
      "| Key | To |",
      "| --- | --- |",
      "| b | 3 |",
    ]);
    expect(pathsOf(document)).toEqual(["The Manual", "The Manual > Install", "The Manual > Install > Sizes"]);
    expect(lineOf(document, "int x")).toBe(27);
  });

  it("AsciiDoc: header, attributes, sections, blocks, tables", async () => {
    const document = await parseAs("a.adoc", asciidoc);
    expect(document).toMatchObject({
      format: "asciidoc",
      title: "Guide to Knowd",
      metadata: {
        author: "Jane Doe",
        date: "2024-03-04",
        version: "1.2",
        tags: ["search", "local"],
        includes: ["other.adoc"],
      },
    });
    expect((await linesOf("a.adoc", asciidoc)).slice(3)).toEqual([
      "See [the site](https://example.org) and how to install.",
      "## Install",
      "```bash",
      "== no heading",
      "```",
      "### Sizes",
      "| Name | Value |",
      "| --- | --- |",
      "| a | one |",
      "- item",
      "  - deeper",
    ]);
    expect(pathsOf(document).at(-1)).toBe("Guide to Knowd > Install > Sizes");
    expect(lineOf(document, "== no heading")).toBe(13);
  });

  it("LaTeX: title, sections, commands, environments, comments", async () => {
    const document = await parseAs("a.tex", latex);
    expect(document).toMatchObject({
      format: "latex",
      title: "Café Life",
      metadata: { author: "Jane Doe, Bob Müller", date: "2024-03-04", includes: ["chapters/one"] },
    });
    expect(await linesOf("a.tex", latex)).toEqual([
      "# Café Life",
      "Jane Doe, Bob Müller",
      "2024-03-04",
      "## Start",
      "The Knowd way is good — 5 %.",
      "See [the site](https://example.org), `foo_bar` and $x^2$.",
      "### Sizes",
      "- one",
      "```python",
      "% code",
      "```",
      "| Name | Value |",
      "| --- | --- |",
      "| a | one |",
    ]);
    expect(pathsOf(document).at(-1)).toBe("Café Life > Start > Sizes");
    expect(lineOf(document, "% code")).toBe(16);
  });

  it.each([
    ["a.org", "* \n#+begin_src x\nnever closed\n"],
    ["a.rst", "Title\n===\n\n.. unknown-thing:: words\n\n   kept\n"],
    ["a.adoc", "----\nnever closed\n"],
    ["a.tex", "a chapter without its book {\\bf kept} \\unknown{kept} \\begin{verbatim}never closed"],
  ])("half-broken %s keeps its text", async (name, text) => {
    expect(textOfParts(await parseAs(name, text))).toMatch(/kept|never closed/);
  });

  it("text of the file makes no heading or fence", async () => {
    for (const name of ["a.rst", "a.tex"]) {
      const document = await parseAs(name, "words\n\n```\n\n---\n\nmore words\n");
      expect(pathsOf(document)).toEqual([""]);
    }
  });

  it("a file whose text begins later than its first line counts from there", async () => {
    const text = "---\ntitle: x\ntags: [a]\n---\n= T\n\nbody words\n";
    const document = await parseAs("a.adoc", text);
    expect(document).toMatchObject({ title: "x", metadata: { tags: ["a"] } });
    expect(document.parts[0]?.lines).toEqual({ kind: "map", of: [5, 5, 7] });
  });
});
