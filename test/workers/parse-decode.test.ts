import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { decodeText } from "../../workers/parse/decode.ts";

const chinese =
  "公司的请假流程是什么？员工需要提前三天在系统中提交申请，经主管批准后方可休假。病假须附医院证明。";
const traditional =
  "公司的請假流程是什麼？員工需要提前三天在系統中提交申請，經主管批准後方可休假。病假須附醫院證明。";
const japanese = "東京都の天気予報を確認してください。明日は雨が降るでしょう。カタカナとひらがなの文章です。";
const korean = "오늘 날씨가 매우 좋습니다. 내일은 비가 올 것으로 예상됩니다. 우산을 준비하세요.";
const russian = "Быстрая коричневая лиса прыгает через ленивую собаку, а потом идёт домой и ложится спать.";
const hebrew = "במקביל לישיבת הקבינט שדנה בהחלטת מועצת הביטחון לקרוא להפסקת אש מיידית";
const german = "Größere Änderungen müssen schriftlich bestätigt werden, natürlich auch für Übungen.";

describe("a file's bytes become its text", () => {
  it.each([
    ["gb18030", chinese],
    ["big5", traditional],
    ["shift_jis", japanese],
    ["euc-jp", japanese],
    ["euc-kr", korean],
    ["windows-1251", russian],
    ["koi8-r", russian],
    ["windows-1255", hebrew],
    ["windows-1252", german],
  ])("text in %s is recognised and read", async (encoding, text) => {
    const decoded = await decodeText(iconv.encode(text, encoding));
    expect(decoded?.text).toBe(text);
  });

  it.each([
    ["utf-8", Buffer.from(`\uFEFF${chinese}`, "utf8")],
    ["utf-16le", Buffer.from(`\uFEFF${chinese}`, "utf16le")],
    ["utf-16be", Buffer.from(`\uFEFF${chinese}`, "utf16le").swap16()],
    ["utf-32le", iconv.encode(`\uFEFF${chinese}`, "utf-32le")],
    ["utf-32be", iconv.encode(`\uFEFF${chinese}`, "utf-32be")],
  ])("a byte order mark of %s is believed and taken off", async (encoding, bytes) => {
    expect(await decodeText(bytes)).toEqual({ text: chinese, encoding, warnings: [] });
  });

  it.each([
    ["utf-16le", Buffer.from("plain words without a mark", "utf16le")],
    ["utf-16be", Buffer.from("plain words without a mark", "utf16le").swap16()],
  ])("%s without a mark is told by where its NULs stand", async (encoding, bytes) => {
    expect(await decodeText(bytes)).toMatchObject({ text: "plain words without a mark", encoding });
  });

  it.each([
    ["characters whose low byte is NUL among plain ones", "第一章 Introduction\n一二三 hello world\n"],
    ["a pair that the sample ends within", `${"a".repeat(32 * 1024 - 1)}😀${"b".repeat(100)}`],
  ])("UTF-16 without a mark may hold %s", async (_, text) => {
    const little = Buffer.from(text, "utf16le");
    expect(await decodeText(little)).toMatchObject({ text, encoding: "utf-16le" });
    expect(await decodeText(Buffer.from(little).swap16())).toMatchObject({ text, encoding: "utf-16be" });
  });

  it("data with NULs at all places is no text", async () => {
    const numbers = new Uint32Array(1000).map((_, index) => index * 7919 * 65_537);
    expect(await decodeText(new Uint8Array(numbers.buffer))).toBeNull();
  });

  it("byte order marks that editors have piled up are all taken off", async () => {
    expect((await decodeText(Buffer.from("\uFEFF\uFEFF\uFEFFtext")))?.text).toBe("text");
  });

  it.each(["constructor", "hex", "base64", "__proto__", "no-such-encoding"])(
    "a file that calls its encoding %s is read by a guess",
    async (name) => {
      const text = `# -*- coding: ${name} -*-\n${german}`;
      expect(await decodeText(Buffer.from(text, "latin1"))).toMatchObject({ text, encoding: "windows-1252" });
    },
  );

  it("ISO-2022-JP is told by its escapes", async () => {
    const bytes = Buffer.concat([
      Buffer.from("\x1b$B"),
      Buffer.from([0x46, 0x7c, 0x4b, 0x5c]),
      Buffer.from("\x1b(B ok"),
    ]);
    expect(await decodeText(bytes)).toMatchObject({ text: "日本 ok", encoding: "iso-2022-jp" });
  });

  it("ISO-2022-KR is told by its header", async () => {
    const hangul = iconv.encode("한글", "euc-kr").map((byte) => byte & 0x7f);
    const bytes = Buffer.concat([Buffer.from("\x1b$)C\n\x0e"), hangul, Buffer.from("\x0f ok")]);
    expect(await decodeText(bytes)).toMatchObject({ text: "\n한글 ok", encoding: "iso-2022-kr" });
  });

  it.each([
    ["an XML prolog", `<?xml version="1.0" encoding="windows-1251"?><a>Мир</a>`, "windows-1251"],
    ["a meta element", `<html><meta charset=gbk><p>请假</p>`, "gbk"],
    [
      "an older meta element",
      `<meta http-equiv="Content-Type" content="text/html; charset=euc-jp">天気`,
      "euc-jp",
    ],
    ["a mode line", `# -*- coding: koi8-r -*-\nМир`, "koi8-r"],
  ])("%s names the encoding of a short text", async (_, text, encoding) => {
    expect(await decodeText(iconv.encode(text, encoding))).toMatchObject({ text, encoding });
  });

  it("a few broken bytes do not turn UTF-8 into something else", async () => {
    const bytes = Buffer.concat([Buffer.from(chinese), Buffer.from([0xff, 0xfe]), Buffer.from(chinese)]);
    const decoded = await decodeText(bytes);
    expect(decoded?.text).toBe(`${chinese}\uFFFD\uFFFD${chinese}`);
    expect(decoded?.encoding).toBe("utf-8");
    expect(decoded?.warnings).toHaveLength(1);
  });

  it("a stray NUL is replaced, with a warning", async () => {
    const text = `${"words and words. ".repeat(100)}\0end`;
    const decoded = await decodeText(Buffer.from(text));
    expect(decoded?.text).toBe(text.replace("\0", "\uFFFD"));
    expect(decoded?.warnings).toHaveLength(1);
  });

  it.each([
    ["Windows", "a\r\nb\r\n"],
    ["old Macs", "a\rb\r"],
    ["Unix", "a\nb\n"],
  ])("line ends of %s become one kind", async (_, text) => {
    expect((await decodeText(Buffer.from(text)))?.text).toBe("a\nb\n");
  });

  it("lone surrogates of UTF-16 are replaced", async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x41, 0, 0, 0xd8, 0x42, 0]);
    expect((await decodeText(bytes))?.text).toBe("A\uFFFDB");
  });

  it.each([
    ["NULs all over", Buffer.alloc(64)],
    ["the start of a PNG", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")],
    ["control characters", Buffer.from([0x80, 1, 2, 3, 4, 0x90, 5, 6, 7, 8])],
  ])("%s are no text", async (_, bytes) => {
    expect(await decodeText(bytes)).toBeNull();
  });

  it.each([
    ["UTF-8", Buffer.from(chinese.repeat(20))],
    ["UTF-16 with a mark", Buffer.from(`\uFEFF${german.repeat(20)}`, "utf16le")],
    ["UTF-16 without a mark", Buffer.from(german.repeat(20), "utf16le")],
    ["an older encoding", iconv.encode(german.repeat(20), "windows-1252")],
  ])("P9 a text in %s that is too long for one string is too complex", async (_, bytes) => {
    await expect(decodeText(bytes, 1000)).rejects.toMatchObject({ failure: "too_complex" });
  });

  it("long data is no text", async () => {
    expect(await decodeText(Buffer.alloc(2000), 1000)).toBeNull();
    expect(await decodeText(Buffer.concat([Buffer.alloc(1000, "a"), Buffer.alloc(1000)]), 1000)).toBeNull();
  });
});
