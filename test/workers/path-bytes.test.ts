import { assert, constantFrom, oneof, pre, property, string, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { displayPath, escapePath, toSystemPath } from "../../workers/path-bytes.ts";

const bytesOf = (path: string): Buffer => Buffer.from(toSystemPath(path));

describe("paths as bytes", () => {
  it("P9 any bytes come back as they were, through a string that UTF-8 can hold", () => {
    assert(
      property(uint8Array({ maxLength: 60 }), (bytes) => {
        const escaped = escapePath(bytes);
        expect(bytesOf(escaped).equals(bytes)).toBe(true);
        expect(Buffer.from(escaped, "utf8").toString("utf8")).toBe(escaped);
      }),
    );
  });

  it("two different names never get the same form", () => {
    const name = oneof(
      uint8Array({ maxLength: 8 }),
      string({ unit: "binary", maxLength: 6 }).map((text) => new Uint8Array(Buffer.from(text))),
      // What an escaped byte looks like, as a real name.
      constantFrom("\uF7FF", "\uF700", "a\uF7C3\uF7A4").map((text) => new Uint8Array(Buffer.from(text))),
    );
    assert(
      property(name, name, (one, other) => {
        expect(escapePath(one) === escapePath(other)).toBe(Buffer.from(one).equals(other));
      }),
    );
  });

  it("text stays text: it is its own form, and goes to the system as a string", () => {
    assert(
      property(string({ unit: "grapheme", maxLength: 30 }), (text) => {
        pre(!/[\uF780-\uF7FF]/.test(text));
        expect(escapePath(Buffer.from(text))).toBe(text);
        expect(toSystemPath(text)).toBe(text);
        expect(displayPath(text)).toBe(text);
      }),
    );
  });

  const names: [string, Uint8Array, string][] = [
    ["nothing", Buffer.from(""), ""],
    ["a byte order mark is part of a name", Buffer.from("\uFEFFa"), "\uFEFFa"],
    ["composed and decomposed letters are two names", Buffer.from("e\u0301"), "e\u0301"],
    ["Latin-1 in a UTF-8 path", Buffer.from("docs/caf\u00e9.md", "latin1"), "docs/caf\uF7E9.md"],
    ["a sequence that was cut off", Buffer.from([0x61, 0xe2, 0x82]), "a\uF7E2\uF782"],
    ["an overlong slash", Buffer.from([0xc0, 0xaf]), "\uF7C0\uF7AF"],
    ["half of a surrogate pair", Buffer.from([0xed, 0xa0, 0x80]), "\uF7ED\uF7A0\uF780"],
    ["a real character of the escape range", Buffer.from("\uF7E9"), "\uF7EF\uF79F\uF7A9"],
  ];
  it.each(names)("%s", (_, bytes, form) => {
    expect(escapePath(bytes)).toBe(form);
    expect(bytesOf(form).equals(bytes)).toBe(true);
  });

  it("separators stay where they were, so that paths are taken apart and joined in their escaped form", () => {
    const path = Buffer.concat([Buffer.from("a/"), Buffer.from([0xff]), Buffer.from("/b.md")]);
    expect(escapePath(path).split("/")).toEqual(["a", "\uF7FF", "b.md"]);
  });

  it("P22 no form stands for an ASCII byte, so that text from outside can't hide a separator or a dot", () => {
    for (const text of ["\uF72E\uF72E\uF72Fetc", "a\uF700b"]) {
      expect(bytesOf(text).equals(Buffer.from(text))).toBe(true);
      expect(escapePath(Buffer.from(text))).toBe(text);
    }
  });

  it("people are shown the replacement character for bytes that are no text", () => {
    expect(displayPath("a\uF7FF.md")).toBe("a\uFFFD.md");
  });
});
