import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const metadata = {
  kernelspec: { name: "python3", display_name: "Python 3" },
  language_info: { name: "python" },
};
const notebook = (...cells: unknown[]): string =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells });
const code = (source: string, ...outputs: unknown[]): unknown => ({ cell_type: "code", source, outputs });
const result = (data: Record<string, unknown>): unknown => ({ output_type: "execute_result", data });

describe("notebooks", () => {
  it("are Markdown with code in fences of the kernel's language, titled by their first heading", async () => {
    const book = await parseAs(
      "a.ipynb",
      notebook(code("# no heading\nimport os\n"), {
        cell_type: "markdown",
        source: ["# Rain\n", "\n", "In *May*."],
      }),
    );
    expect(book).toMatchObject({ format: "notebook", title: "Rain", warnings: [] });
    expect(book.metadata).toMatchObject({ language: "python", kernel: "Python 3", cells: 2, codeCells: 1 });
    expect(book.parts).toMatchObject([
      { text: "```python\n# no heading\nimport os\n```\n\n# Rain\n\nIn *May*.", markup: "markdown" },
    ]);
  });

  it("have text outputs without colours, errors, and no bytes of pictures", async () => {
    const text = textOfParts(
      await parseAs(
        "a.ipynb",
        notebook(
          code(
            "run()",
            {
              output_type: "stream",
              name: "stdout",
              text: ["10%\r", "100%\r\n", "\u001b[31mdone\u001b[0m\n"],
            },
            result({ "text/plain": "<Figure size 640x480 with 1 Axes>", "image/png": "iVBORw0KGgo" }),
            result({
              "text/plain": ["   a\n", "0  1"],
              "text/html": "<table><tr><td>a</td><td>1</td></tr></table>",
            }),
            {
              output_type: "error",
              ename: "E",
              evalue: "v",
              traceback: ["\u001b[0;31mE\u001b[0m: went wrong"],
            },
          ),
          {
            cell_type: "markdown",
            source: "![x](data:image/png;base64,iVBORw0KGgo=)",
            attachments: { a: "iVBORw0KGgo" },
          },
        ),
      ),
    );
    expect(text).toBe("```python\nrun()\n```\n\n```\n100%\ndone\n   a\n0  1\nE: went wrong\n```\n\n![x]()");
  });

  it("have tables of HTML and shown Markdown where there is no text", async () => {
    const text = textOfParts(
      await parseAs(
        "a.ipynb",
        notebook(
          code(
            "t",
            result({
              "text/html": "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
            }),
          ),
          code(
            "m",
            result({ "text/plain": "<IPython.core.display.Markdown object>", "text/markdown": "**shown**" }),
          ),
          code("%%bash\nls"),
        ),
      ),
    );
    expect(text).toContain("| a | b |\n| --- | --- |\n| 1 | 2 |");
    expect(text).toContain("**shown**");
    expect(text).toContain("```bash\n%%bash\nls\n```");
  });

  it("whose output is too long say so, whatever is left of it without its colours", async () => {
    const outputs = [{ output_type: "stream", text: "\x1b[31mred\x1b[0m ".repeat(20_000) }];
    const book = { nbformat: 4, cells: [{ cell_type: "code", source: "x", outputs }] };
    expect((await parseAs("a.ipynb", JSON.stringify(book))).warnings).toEqual([
      "The output of cell 1 was cut off.",
    ]);
    const short = [{ output_type: "display_data", data: { "text/markdown": "word ".repeat(10_000) } }];
    const whole = { nbformat: 4, cells: [{ cell_type: "code", source: "x", outputs: short }] };
    expect((await parseAs("b.ipynb", JSON.stringify(whole))).warnings).toEqual([]);
  });

  it("of version 3 are read too", async () => {
    const old = {
      nbformat: 3,
      metadata: { name: "Old" },
      worksheets: [
        {
          cells: [
            { cell_type: "heading", level: 2, source: "Part" },
            {
              cell_type: "code",
              language: "ruby",
              input: "puts 1",
              outputs: [{ output_type: "pyout", text: "1" }],
            },
          ],
        },
      ],
    };
    const book = await parseAs("old.json", JSON.stringify(old));
    expect(book).toMatchObject({ format: "notebook", title: "Old" });
    expect(textOfParts(book)).toBe("## Part\n\n```ruby\nputs 1\n```\n\n```\n1\n```");
  });

  it("whose cells leave a fence open or hold fences stay apart", async () => {
    const text = textOfParts(
      await parseAs(
        "a.ipynb",
        notebook({ cell_type: "markdown", source: "```\nopen" }, code("s = '''\n```\n'''")),
      ),
    );
    expect(text).toBe("```\nopen\n```\n\n````python\ns = '''\n```\n'''\n````");
  });

  it("that are broken are kept as text, with a warning; K4.5 empty ones fail", async () => {
    const broken = await parseAs("a.ipynb", '{"cells": [{"source": "lost words"');
    expect(broken.warnings[0]).toMatch(/^It is no valid notebook \(.+\) and was indexed as text\.$/);
    expect(broken.parts).toMatchObject([{ markup: "code", lines: { kind: "same", first: 1 } }]);
    expect(await failureOf(parseAs("a.ipynb", notebook()))).toMatchObject({ failure: "no_text" });
  });

  it("of any other form end without an error of the program", async () => {
    const odd = notebook(
      null,
      5,
      { cell_type: 7 },
      { cell_type: "code", source: 5, outputs: {} },
      code("x = 1", null, 7),
    );
    expect(textOfParts(await parseAs("a.ipynb", odd))).toBe("```python\nx = 1\n```");
    const long = notebook(code("x", { output_type: "stream", text: "\u001b[".repeat(300_000) }));
    expect((await parseAs("a.ipynb", long)).warnings).toEqual(["The output of cell 1 was cut off."]);
  });
});
