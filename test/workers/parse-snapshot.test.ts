import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripSnapshot } from "../../workers/parse/snapshot.ts";
import { parseAs } from "../support/parse.ts";

const keys = ["type", "title", "resource", "timestamp"] as const;

/** K6's format, written here as the contract says it. */
function written(fields: Partial<Record<(typeof keys)[number], string>>, body: string): string {
  const lines = keys.flatMap((key) =>
    fields[key] === undefined ? [] : [`${key}: ${JSON.stringify(fields[key])}`],
  );
  return `---\n${lines.join("\n")}\n---\n${body}`;
}

describe("K6.2 a snapshot's front matter", () => {
  it("K6.2 stripping is the inverse of writing, for any body and any title", () => {
    const body = fc
      .array(fc.constantFrom("---", "---\n", "\n", "text", "# h", 'title: "x"\n', "...\n", "é👍"))
      .map((list) => list.join(""));
    fc.assert(
      fc.property(body, fc.string({ unit: "binary" }), (text, title) => {
        const fields = {
          type: "URL",
          title,
          resource: "https://example.org/",
          timestamp: "2026-06-15T12:00:00.000Z",
        };
        expect(stripSnapshot(written(fields, text))).toEqual({ fields, body: text, firstLine: 7 });
      }),
    );
  });

  it.each([
    ["no closing line", '---\ntype: "note"\ntext'],
    ["no opening line", 'type: "note"\n---\ntext'],
    ["nothing", "text"],
  ])("K6.2 with %s nothing is stripped", (_, text) => {
    expect(stripSnapshot(text)).toEqual({ fields: {}, body: text, firstLine: 1 });
  });

  it("K6.2 a snapshot that an editor saved with CRLF and a byte order mark is stripped too", async () => {
    const text = `\uFEFF${written({ type: "note", title: "Über" }, "# Body\n\ntext\n").replaceAll("\n", "\r\n")}`;
    expect(await parseAs("a.md", text, { snapshot: true })).toMatchObject({
      title: "Über",
      parts: [{ text: "# Body\n\ntext\n", lines: { kind: "same", first: 5 } }],
      metadata: { snapshot: { type: "note", title: "Über" } },
    });
  });

  it("K6.2 a body that begins with a byte order mark, or several, is read without them", async () => {
    for (const marks of ["\uFEFF", "\uFEFF\uFEFF\uFEFF"]) {
      const document = await parseAs("a.md", written({ type: "note" }, `${marks}text`), { snapshot: true });
      expect(document.parts[0]?.text).toBe("text");
    }
  });

  it("K6.2 only the first block is taken: what follows is body, and no front matter of its own", async () => {
    const body = "---\ntitle: inner\n---\ntext";
    const document = await parseAs("a.md", written({ type: "note", title: "outer" }, body), {
      snapshot: true,
    });
    expect(document).toMatchObject({ title: "outer", parts: [{ text: body }] });
  });

  it("K6.2 a user's file is never stripped", async () => {
    const text = written({ type: "note", title: "mine" }, "text");
    expect((await parseAs("a.md", text)).parts[0]?.text).toBe(text);
  });
});
