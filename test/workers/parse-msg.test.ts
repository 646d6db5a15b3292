import { burn } from "@kenjiuno/msgreader/lib/Burner.js";
import { TypeEnum } from "@kenjiuno/msgreader/lib/Reader.js";
import { describe, expect, it } from "vitest";
import { decompressRtf } from "../../workers/parse/mail/msg/compressed-rtf.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

type Streams = Record<string, Buffer>;
interface Storage {
  readonly streams: Streams;
  readonly folders?: Record<string, Storage>;
}

const wide = (text: string): Buffer => Buffer.from(text, "utf16le");

/** An Outlook file of those properties: `__substg1.0_<tag>` → its bytes. */
function outlookFile(root: Storage): Buffer {
  const entries: Parameters<typeof burn>[0] = [];
  const add = (name: string, type: TypeEnum, content: Buffer | null): number => {
    entries.push({
      name,
      type,
      length: content?.length ?? 0,
      binaryProvider: () => new Uint8Array(content ?? []),
      children: [],
    });
    return entries.length - 1;
  };
  const fill = (parent: number, storage: Storage): void => {
    for (const [name, content] of Object.entries(storage.streams)) {
      const index = add(name, TypeEnum.DOCUMENT, content);
      entries[parent]?.children?.push(index);
    }
    for (const [name, inner] of Object.entries(storage.folders ?? {})) {
      const index = add(name, TypeEnum.DIRECTORY, null);
      entries[parent]?.children?.push(index);
      fill(index, inner);
    }
  };
  fill(add("Root Entry", TypeEnum.ROOT, null), root);
  return Buffer.from(burn(entries));
}

const property = (tag: string): string => `__substg1.0_${tag}`;
const base: Streams = {
  "__properties_version1.0": Buffer.alloc(32),
  [property("001A001F")]: wide("IPM.Note"),
  [property("0037001F")]: wide("Budget"),
  [property("0C1A001F")]: wide("Ann"),
  [property("5D01001F")]: wide("ann@example.org"),
  [property("1000001F")]: wide("The plan.\r\nSecond line."),
  [property("1035001F")]: wide("<one@example.org>"),
};

describe("Outlook messages", () => {
  it("are told by their bytes and give subject, sender, text and the message's id", async () => {
    const mail = await parseAs("a.bin", outlookFile({ streams: base }));
    expect(mail).toMatchObject({ format: "outlook", title: "Budget", warnings: [] });
    expect(mail.parts[0]?.locator).toEqual({ messageId: "one@example.org" });
    expect(textOfParts(mail)).toBe("Subject: Budget\nFrom: Ann <ann@example.org>\n\nThe plan.\nSecond line.");
  });

  it("have recipients, and attachments that are read by their own readers", async () => {
    const mail = await parseAs(
      "a.msg",
      outlookFile({
        streams: base,
        folders: {
          "__attach_version1.0_#00000000": {
            streams: {
              "__properties_version1.0": Buffer.alloc(8),
              [property("3707001F")]: wide("list.csv"),
              [property("37010102")]: Buffer.from("name,sum\nAnn,7\n"),
            },
          },
        },
      }),
    );
    expect(mail.parts[1]).toMatchObject({ headings: ["list.csv"] });
    expect(textOfParts(mail)).toContain("Attachments: list.csv");
  });

  it("give the HTML body where there is no plain one", async () => {
    const { [property("1000001F")]: _, ...rest } = base;
    const html = Buffer.from("<h1>Head</h1><p>of the page</p>");
    const mail = await parseAs("a.msg", outlookFile({ streams: { ...rest, [property("10130102")]: html } }));
    expect(textOfParts(mail)).toContain("# Head\n\nof the page");
  });

  it("hold other messages, which are read as their own", async () => {
    const inner = {
      ...base,
      "__properties_version1.0": Buffer.alloc(24),
      [property("0037001F")]: wide("Inner"),
    };
    const mail = await parseAs(
      "a.msg",
      outlookFile({
        streams: base,
        folders: {
          "__attach_version1.0_#00000000": {
            streams: { "__properties_version1.0": Buffer.alloc(8), [property("3001001F")]: wide("Inner") },
            folders: { [property("3701000D")]: { streams: inner } },
          },
        },
      }),
    );
    expect(mail.warnings).toEqual([]);
    expect(mail.parts[1]).toMatchObject({
      headings: ["Inner.msg"],
      locator: { messageId: "one@example.org" },
    });
    expect(mail.parts[1]?.text).toContain("Subject: Inner");
  });

  it("that only have a text in RTF have it read by the reader of RTF", async () => {
    const rtf = Buffer.from("{\\rtf1\\ansi Only here.}");
    const packed = Buffer.concat([Buffer.alloc(16), rtf]);
    packed.writeUInt32LE(rtf.length, 4);
    packed.write("MELA", 8, "latin1");
    const { [property("1000001F")]: _, ...rest } = base;
    const mail = await parseAs(
      "a.msg",
      outlookFile({ streams: { ...rest, [property("10090102")]: packed } }),
    );
    expect(textOfParts(mail)).toContain("Only here.");
  });

  it("P10 a property of another type than it should be is left out", async () => {
    const bytes = Object.fromEntries(
      Object.entries(base).map(([name, value]) => [name.replace("001F", "0102"), value]),
    );
    expect(await failureOf(parseAs("a.msg", outlookFile({ streams: bytes })))).toMatchObject({
      failure: "no_text",
    });
    const mixed = {
      ...base,
      [property("001A0102")]: wide("IPM.Note"),
      [property("1013001F")]: wide("<p>no</p>"),
    };
    delete mixed[property("001A001F")];
    expect(textOfParts(await parseAs("a.msg", outlookFile({ streams: mixed })))).toContain("The plan.");
  });

  it("that are cut off or lie about lengths are corrupt and end at once", async () => {
    const bytes = outlookFile({ streams: { ...base, [property("1000001F")]: wide("long ".repeat(5000)) } });
    expect(await failureOf(parseAs("a.msg", bytes.subarray(0, 2048)))).toMatchObject({ failure: "corrupt" });
    for (const [offset, value] of [
      [0x30, 0],
      [0x3c, 1],
      [0x74 + 512, 0x7fffffff],
    ] as const) {
      const broken = Buffer.from(bytes);
      broken.writeUInt32LE(value, offset);
      const outcome = await failureOf(parseAs("a.msg", broken)).catch((error: unknown) => error);
      expect(outcome instanceof Error ? outcome.message : "refused").toMatch(/refused|without a failure/);
    }
  });
});

describe("compressed RTF", () => {
  it("is expanded, and ends where it breaks", () => {
    const raw = Buffer.concat([Buffer.alloc(16), Buffer.from("plain rtf")]);
    raw.writeUInt32LE(9, 4);
    raw.write("MELA", 8, "latin1");
    expect(Buffer.from(decompressRtf(raw) ?? []).toString("latin1")).toBe("plain rtf");
    const packed = Buffer.concat([Buffer.alloc(16), Buffer.from([0b00000110, 0x61, 0x00, 0x04, 0x0d, 0x60])]);
    packed.writeUInt32LE(100, 4);
    packed.write("LZFu", 8, "latin1");
    expect(Buffer.from(decompressRtf(packed) ?? []).toString("latin1")).toBe("a{\\rtf1");
    packed.writeUInt32LE(0xffffffff, 4);
    expect(decompressRtf(packed)).toBeNull();
  });
});
