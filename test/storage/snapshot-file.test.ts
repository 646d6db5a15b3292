import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { snapshotName } from "../../daemon/storage/snapshot-file.ts";
import { snapshotTitle, writeSnapshot } from "../../workers/parse/snapshot-text.ts";
import { stripSnapshot } from "../../workers/parse/snapshot.ts";

const anyText = fc.string({ unit: "binary", maxLength: 400 });
const timestamp = "2026-06-15T12:00:00.000Z";

describe("a snapshot's file", () => {
  it("K6.1 has type, title, resource and timestamp in this order, each a JSON string, and the body follows at once", () => {
    const page = {
      timestamp,
      title: 'A "quoted" title',
      resource: "https://example.org/a",
      type: "URL",
    } as const;
    expect(writeSnapshot(page, "# Body\n")).toBe(
      '---\ntype: "URL"\ntitle: "A \\"quoted\\" title"\nresource: "https://example.org/a"\n' +
        'timestamp: "2026-06-15T12:00:00.000Z"\n---\n# Body\n',
    );
    expect(writeSnapshot({ type: "Note", title: "T", timestamp }, "")).toBe(
      '---\ntype: "Note"\ntitle: "T"\ntimestamp: "2026-06-15T12:00:00.000Z"\n---\n',
    );
  });

  it("K6.2 is taken apart into exactly what it was written from, for any body and any title", () => {
    const bodies = fc.oneof(
      anyText,
      anyText.map((text) => `---\n${text}`),
      fc.constant("---\ntitle: x\n---\n"),
    );
    fc.assert(
      fc.property(bodies, anyText, anyText, (body, title, resource) => {
        const fields = { type: "URL", title, resource, timestamp } as const;
        expect(stripSnapshot(writeSnapshot(fields, body))).toMatchObject({ fields, body });
      }),
    );
  });
});

describe("a snapshot's name", () => {
  it.each([
    ["intro\n\n## The *first* heading\n\n# Second", "The first heading.md"],
    ["```\n# no heading\n```\n", "```.md"],
    ["\n\n  first line of all \nsecond", "first line of all.md"],
    ["# \n\nan empty heading is none", "#.md"],
    ["# a/b: c? d|e", "a-b- c- d-e.md"],
    ["# ..", "note.md"],
    ["# .hidden file", "hidden file.md"],
    ["# CON", "CON-.md"],
    ["# ?NUL", "NUL-.md"],
    ["# 公司的请假流程", "公司的请假流程.md"],
    ["# ends with dots...", "ends with dots.md"],
  ])("K5.3 is the first heading, else the first non-empty line: %j", (body, name) => {
    expect(snapshotName("Note", snapshotTitle(body))).toBe(name);
  });

  it.each([
    ["https://example.org/docs/intro/", "example.org-intro.md"],
    ["https://example.org/", "example.org.md"],
    ["https://example.org/%E8%AE%A4%E8%AF%81?x=1#y", "example.org-认证.md"],
    ["https://example.org/%ff%zz", "example.org-%ff%zz.md"],
    ["not an address", "page.md"],
  ])("K5.3 without a title is host and last segment, else page: %s", (resource, name) => {
    expect(snapshotName("URL", null, resource)).toBe(name);
  });

  it("K5.3 is safe on every platform, for any title: one visible segment, no reserved name, 80 characters and 255 bytes at most", () => {
    const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: "grapheme", maxLength: 300 })), (title) => {
        const name = snapshotName("Note", title);
        expect(name).toMatch(/^[^.\s].*\.md$/u);
        expect(name).not.toMatch(/[<>:"/\\|?*\p{Cc}\p{Cs}]/u);
        expect(name).not.toMatch(reserved);
        expect(name.length).toBeLessThanOrEqual(80 + 4);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      }),
    );
  });

  it("K5.3 is cut between characters, never within one", () => {
    const family = "👩‍👩‍👧‍👦";
    expect(snapshotName("Note", "x".repeat(78) + family)).toBe(`${"x".repeat(78)}.md`);
    expect(snapshotName("Note", "漢".repeat(200))).toBe(`${"漢".repeat(80)}.md`);
  });
});
