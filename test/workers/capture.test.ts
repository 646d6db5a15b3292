import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { capture } from "../../workers/fetch/capture.ts";
import type { CaptureInput } from "../../workers/fetch/contract.ts";
import { capturedPage } from "../../workers/parse/html/captured-page.ts";
import { stripSnapshot } from "../../workers/parse/snapshot.ts";
import { serveHttp } from "../support/canary.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { tinyPdf } from "../support/tiny-pdf.ts";

const timestamp = "2026-06-15T12:00:00.000Z";

/** Captures what a server answers with. */
async function captureOf(
  body: string | Buffer,
  type: string,
  more: Partial<CaptureInput> & { path?: string; maxBytes?: number } = {},
) {
  const port = await serveHttp((_request, response) =>
    response.writeHead(200, { "content-type": type }).end(body),
  );
  const into = path.join(temporaryFolder(), "captured");
  const url = `http://127.0.0.1:${port}${more.path ?? "/docs/page"}`;
  const rules = {
    allowPrivate: true,
    ports: [port],
    maxBytes: more.maxBytes ?? 1_000_000,
    timeoutMs: 5000,
    userAgent: "test",
    hosts: [],
    proxy: null,
  };
  const outcome = await capture({ url, title: null, timestamp, into, before: null, rules, ...more });
  return { url, into, outcome, text: existsSync(into) ? readFileSync(into, "utf8") : null };
}

const paragraph =
  "<p>Keys wear out, and a lock that nobody opens still wants its oil now and then, they say.</p>";
const article = (inner: string): string =>
  `<!doctype html><html><head><title>Rotating keys | Example</title><meta property="og:title" content="Rotating keys"></head>
   <body><nav><a href="/">Home</a></nav><article><h1>Rotating keys</h1>${paragraph.repeat(4)}${inner}</article>
   <footer>Imprint</footer></body></html>`;

describe("capturing a page", () => {
  it("K6.1 keeps its article as Markdown behind frontmatter, named after its heading", async () => {
    const { outcome, text, url } = await captureOf(article(""), "text/html; charset=utf-8");
    expect(outcome).toMatchObject({
      kind: "captured",
      form: "page",
      extension: ".md",
      title: "Rotating keys",
      name: "Rotating keys",
      warnings: [],
    });
    expect(text).toMatch(
      `---\ntype: "URL"\ntitle: "Rotating keys"\nresource: "${url}"\ntimestamp: "${timestamp}"\n---\n# Rotating keys\n`,
    );
    expect(text).not.toMatch(/Home|Imprint/);
    expect(stripSnapshot(text ?? "").fields).toMatchObject({ type: "URL", resource: url });
  });

  it("keeps tables, code with its language, and links and images with whole addresses", async () => {
    const inner = `<p>See <a href="../other?q=(1)">the [other] page</a>, <a href="#top">above</a>,
        <a href="javascript:alert(1)">this</a> and <a href="https://example.org/x">that</a>.</p>
      <img src="data:image/gif;base64,R0lGOD" data-src="img/lock.png" alt="a lock">
      <img src="/dot.gif" width="1" height="1">
      <pre><code class="language-rust">fn main() {}\n</code></pre>
      <table><thead><tr><th>key</th><th>age</th></tr></thead><tbody><tr><td><a href="a">first</a></td><td>2 | 3</td></tr></tbody></table>`;
    const { markdown } = await capturedPage(article(inner), "https://example.org/docs/page.html");
    expect(markdown).toContain(
      "See [the \\[other\\] page](https://example.org/other?q=%281%29), above, this and [that](https://example.org/x).",
    );
    expect(markdown).toContain("![a lock](https://example.org/docs/img/lock.png)");
    expect(markdown).not.toContain("dot.gif");
    expect(markdown).toContain("```rust\nfn main() {}\n```");
    expect(markdown).toContain(
      "| key | age |\n| --- | --- |\n| [first](https://example.org/docs/a) | 2 \\| 3 |",
    );
  });

  it("resolves addresses with the page's own base, and takes what stands after redirects for it", async () => {
    const page = article(`<p><a href="x.html">there</a></p>`).replace(
      "<head>",
      `<head><base href="/deep/er/">`,
    );
    const { markdown } = await capturedPage(page, "https://example.org/docs/page.html");
    expect(markdown).toContain("[there](https://example.org/deep/er/x.html)");
  });

  it("a page without an article keeps its cleaned body and says so", async () => {
    const links = Array.from({ length: 30 }, (_, at) => `<li><a href="/${at}">Entry ${at}</a></li>`).join("");
    const page = `<html><head><title>All entries</title></head><body><nav>menu</nav><ul>${links}</ul></body></html>`;
    const { outcome, text } = await captureOf(page, "text/html");
    expect(outcome).toMatchObject({
      kind: "captured",
      warnings: [expect.stringContaining("No article was found")],
    });
    expect(text).toMatch(/# All entries\n\n- \[Entry 0\]\(http:\/\/127/);
    expect(text).not.toContain("menu");
  });

  it.each([
    ["nothing", ""],
    ["white space", " \n\t "],
    [
      "a page that scripts fill in",
      "<html><head><title>App</title></head><body><div id=root></div><script>x()</script></body></html>",
    ],
  ])("K6.4 %s fails before anything is written", async (_name, body) => {
    const { outcome, text } = await captureOf(body, "text/html");
    expect(outcome).toMatchObject({ kind: "refused", reason: expect.stringMatching(/\S/) });
    expect(text).toBeNull();
  });

  it.each([
    ["the header", Buffer.from("<p>Schl\xfcssel</p>", "latin1"), "text/html; charset=ISO-8859-1"],
    ["the header in quotes", Buffer.from("<p>Schl\xfcssel</p>", "latin1"), 'text/html;charset="iso-8859-1"'],
    [
      "a byte order mark, whatever the header says",
      Buffer.from("\uFEFF<p>Schlüssel</p>"),
      "text/html; charset=latin1",
    ],
    ["a byte order mark of UTF-16", Buffer.from("\uFEFF<p>Schlüssel</p>", "utf16le"), "text/html"],
    ["the page", Buffer.from('<meta charset="windows-1252"><p>Schl\xfcssel</p>', "latin1"), "text/html"],
    [
      "the page, when the header is wrong",
      Buffer.from('<meta charset="windows-1252"><p>Schl\xfcssel</p>', "latin1"),
      "text/html; charset=utf-8",
    ],
    ["its bytes", Buffer.from("<p>Schlüssel</p>"), "text/html"],
    [
      "its bytes, when the header names none that is known",
      Buffer.from("<p>Schlüssel</p>"),
      "text/html; charset=klingon",
    ],
  ])("reads text in the encoding that is told by %s", async (_name, body, type) => {
    expect((await captureOf(body, type)).text).toMatch(/Schlüssel\n$/);
  });

  it("keeps a PDF byte for byte, and refuses what only pretends to be one", async () => {
    const pdf = Buffer.from(tinyPdf({ pages: [["Keys and locks"]] }));
    const { outcome, into } = await captureOf(pdf, "application/pdf", { path: "/a/manual.pdf" });
    expect(outcome).toMatchObject({ kind: "captured", form: "file", extension: ".pdf", name: null });
    expect(readFileSync(into)).toEqual(pdf);
    const fake = await captureOf("<html>please log in</html>", "application/pdf");
    expect(fake).toMatchObject({ outcome: { kind: "refused" }, text: null });
  });

  it("keeps plain text and Markdown as UTF-8 without frontmatter of ours", async () => {
    const plain = await captureOf(Buffer.from("Schl\xfcssel", "latin1"), "text/plain; charset=iso-8859-1");
    expect(plain).toMatchObject({
      outcome: { form: "file", extension: ".txt", name: null },
      text: "Schlüssel",
    });
    const own = "---\ntags: [a]\n---\n# Keys\n\nbody\n";
    const markdown = await captureOf(own, "text/plain", { path: "/README.md" });
    expect(markdown).toMatchObject({ outcome: { form: "file", extension: ".md", name: "Keys" }, text: own });
  });

  it("K6.3 the same text again is unchanged, and nothing is written", async () => {
    const first = await captureOf(article(""), "text/html");
    if (first.outcome.kind !== "captured") throw new Error("not captured");
    const { validators, hash } = first.outcome;
    const again = await captureOf(article(""), "text/html", { before: { validators, hash } });
    expect(again).toMatchObject({ outcome: { kind: "unchanged" }, text: null });
    const other = await captureOf(article("<p>one more</p>"), "text/html", { before: { validators, hash } });
    expect(other.outcome).toMatchObject({ kind: "captured" });
  });

  it("a given title stands instead of the page's, in frontmatter and name", async () => {
    const { outcome, text } = await captureOf(article(""), "text/html", { title: "  My keys " });
    expect(outcome).toMatchObject({ title: "My keys", name: "My keys" });
    expect(text).toContain('title: "My keys"');
  });

  it("a page of more elements than can be read is refused, not tried", async () => {
    const { outcome, text } = await captureOf("<h2>".repeat(500_001), "text/html", { maxBytes: 4_000_000 });
    expect(outcome).toMatchObject({ kind: "refused", reason: expect.stringContaining("500000 elements") });
    expect(text).toBeNull();
  });

  it("markup without end, or nested without end, is captured in time that grows with its length", async () => {
    for (const body of [
      "<div>".repeat(60_000) + "deep",
      "](".repeat(100_000),
      "<a href=x>".repeat(30_000) + "x",
    ])
      expect((await captureOf(body, "text/html")).outcome.kind).toBe("captured");
  });
});
