import { describe, expect, it } from "vitest";
import { wellFormed } from "../../workers/parse/clean-text.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const head =
  "From: Ann <ann@example.org>\r\nTo: Bob <bob@example.org>\r\nSubject: Budget\r\nDate: Fri, 1 Mar 2024 10:00:00 +0100\r\n" +
  "Message-ID: <one@example.org>\r\nMIME-Version: 1.0\r\n";
const lines = (...text: string[]): string => text.join("\r\n");
const base64 = (text: string | Buffer): string => Buffer.from(text).toString("base64");

function multipart(type: string, ...parts: string[]): string {
  return lines(
    `${head}Content-Type: multipart/${type}; boundary="b"`,
    "",
    ...parts.flatMap((part) => ["--b", part]),
    "--b--",
    "",
  );
}

describe("e-mail", () => {
  it("gives the subject as title, a short head above the text and the message's id as locator", async () => {
    const mail = await parseAs("a.eml", `${head}\r\nThe plan.\r\n`);
    expect(mail).toMatchObject({ format: "email", title: "Budget", warnings: [] });
    expect(mail.parts).toMatchObject([
      {
        text:
          "Subject: Budget\nFrom: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nDate: Fri, 1 Mar 2024 10:00:00 +0100\n\n" +
          "The plan.",
        locator: { messageId: "one@example.org" },
        lines: null,
      },
    ]);
    expect(mail.metadata).toMatchObject({
      subject: "Budget",
      date: "2024-03-01T09:00:00.000Z",
      messageId: "one@example.org",
      from: ["Ann <ann@example.org>"],
      to: ["Bob <bob@example.org>"],
    });
  });

  it("is told by its bytes, whatever it is called; a text about mail is none", async () => {
    expect((await parseAs("1234", `${head}\r\ntext`)).format).toBe("email");
    expect((await parseAs("a.eml", `\r\n${head}\r\ntext`)).title).toBe("Budget");
    expect((await parseAs("a.emlx", `345\n${head}\r\ntext`)).title).toBe("Budget");
    expect((await parseAs("cur.txt", `${head}\r\ntext`)).format).toBe("email");
    expect((await parseAs("memo.txt", "From: Ann\nTo: Bob\nSubject: lunch\n\nNoon?")).format).toBe("text");
    expect((await parseAs("notes.md", "Subject: lines of mail begin so\n\ntext")).format).toBe("markdown");
  });

  it("decodes encoded words, and raw bytes in a header by what they are", async () => {
    const words = head.replace("Budget", "=?UTF-8?B?w5xi?=\r\n =?UTF-8?Q?ersicht?=");
    expect((await parseAs("a.eml", `${words}\r\nx`)).title).toBe("Übersicht");
    const raw = Buffer.from(`${head.replace("Budget", "Größe des Haushalts für übermorgen")}\r\nx`, "latin1");
    expect((await parseAs("a.eml", raw)).title).toBe("Größe des Haushalts für übermorgen");
  });

  it.each([
    ["shift_jis", "83658358836782cc83818381838b", "テストのメメル"],
    ["iso-2022-jp", "1b2442467c4b5c386c1b2842", "日本語"],
    ["gb2312", "d6d0cec4d3cabcfe", "中文邮件"],
    ["koi8-r", "f0d2c9d7c5d4", "Привет"],
    ["windows-1252", "93717561726502", "“quare"],
  ])("decodes a body in %s", async (charset, hex, expected) => {
    const bytes = Buffer.concat([
      Buffer.from(`${head}Content-Type: text/plain; charset=${charset}\r\n\r\n`),
      Buffer.from(hex, "hex"),
    ]);
    expect(textOfParts(await parseAs("a.eml", bytes))).toContain(expected);
  });

  it("believes the bytes where the charset is missing or wrong", async () => {
    const utf8 = `${head}Content-Type: text/plain; charset=iso-8859-1\r\n\r\nGrüße aus Köln`;
    expect(textOfParts(await parseAs("a.eml", utf8))).toContain("Grüße aus Köln");
    const latin = Buffer.from(
      `${head}Content-Type: text/plain; charset=utf-8\r\n\r\nGrüße aus Köln, schöne`,
      "latin1",
    );
    expect(textOfParts(await parseAs("a.eml", latin))).toContain("Grüße aus Köln, schöne");
    const unknown = `${head}Content-Type: text/plain; charset=klingon\r\n\r\nGrüße`;
    expect(textOfParts(await parseAs("a.eml", unknown))).toContain("Grüße");
  });

  it("takes off base64 (padded line by line too), quoted-printable and uuencode", async () => {
    const body = (encoding: string, text: string): string =>
      `${head}Content-Transfer-Encoding: ${encoding}\r\n\r\n${text}`;
    const padded = `${base64("first line\n")}\r\n${base64("second line\n")}\r\n`;
    expect(textOfParts(await parseAs("a.eml", body("base64", padded)))).toContain("first line\nsecond line");
    const quoted = "caf=C3=A9 is a lo=\r\nng line, 1 =3D 1, 50 = 50";
    expect(textOfParts(await parseAs("a.eml", body("quoted-printable", quoted)))).toContain(
      "café is a long line, 1 = 1, 50 = 50",
    );
    const uu = "begin 644 a.txt\r\n#0V%T\r\n`\r\nend\r\n";
    expect(textOfParts(await parseAs("a.eml", body("x-uuencode", uu)))).toContain("Cat");
  });

  it("joins the lines of flowed text, and keeps quotes quoted", async () => {
    const flowed = `${head}Content-Type: text/plain; format=flowed\r\n\r\nA sentence that \r\ngoes on.\r\n> quoted \r\n> too\r\n`;
    expect(textOfParts(await parseAs("a.eml", flowed))).toContain("A sentence that goes on.\n> quoted too");
  });

  it("reads an HTML body as Markdown, without layout tables, hidden text and pictures inside", async () => {
    const html = multipart(
      "related",
      lines(
        "Content-Type: text/html; charset=utf-8",
        "",
        "<div style='display:none'>preview</div><table><tr><td>Logo</td><td>News</td></tr></table><h2>Plan</h2>" +
          "<table><tr><th>Year</th><th>Sum</th></tr><tr><td>2024</td><td>7</td></tr></table><ul><li>one</li></ul><img src='cid:1'>",
      ),
      lines(
        "Content-Type: image/png; name=logo.png",
        "Content-ID: <1>",
        "Content-Transfer-Encoding: base64",
        "",
        "iVBORw0KGgo=",
      ),
    );
    const mail = await parseAs("a.eml", html);
    expect(mail.warnings).toEqual([]);
    expect(mail.parts[0]?.markup).toBe("markdown");
    expect(textOfParts(mail)).toContain("## Plan\n\n| Year | Sum |\n| --- | --- |\n| 2024 | 7 |\n\n- one");
    expect(textOfParts(mail)).not.toMatch(/preview|\| Logo|logo\.png/);
  });

  it("reads one of two forms: the plain one, unless it says much less", async () => {
    const both = (plain: string, html: string): string =>
      multipart(
        "alternative",
        `Content-Type: text/plain\r\n\r\n${plain}`,
        `Content-Type: text/html\r\n\r\n<p>${html}</p>`,
      );
    const equal = textOfParts(await parseAs("a.eml", both("See you at noon.", "See you at <b>noon</b>.")));
    expect(equal.match(/noon/g)).toHaveLength(1);
    const poor = textOfParts(
      await parseAs("a.eml", both("Use another program.", "All that is new this week, said at some length.")),
    );
    expect(poor).toContain("All that is new");
    expect(poor).not.toContain("another program");
  });

  it("marks what a reply repeats as a quote, and leaves what is forwarded", async () => {
    const reply = textOfParts(
      await parseAs(
        "a.eml",
        `${head}\r\nYes.\r\n\r\n-----Original Message-----\r\nFrom: Bob\r\nSent: Monday\r\n\r\nDo we?\r\n`,
      ),
    );
    expect(reply).toContain("Yes.\n\n> -----Original Message-----\n> From: Bob\n> Sent: Monday\n>\n> Do we?");
    const note = textOfParts(
      await parseAs(
        "a.eml",
        `${head}\r\nFYI\r\n---------- Forwarded message ----------\r\nFrom: Bob\r\nDate: Monday\r\n\r\nNews\r\n`,
      ),
    );
    expect(note).toContain("\nFrom: Bob\nDate: Monday\n\nNews");
  });
});

describe("attachments", () => {
  const file = (name: string, content: string): string =>
    lines(
      `Content-Type: application/octet-stream; name="${name}"`,
      `Content-Disposition: attachment; filename="${name}"`,
      "Content-Transfer-Encoding: base64",
      "",
      base64(content),
    );

  it("are read by the readers of their formats, under their names", async () => {
    const mail = await parseAs(
      "a.eml",
      multipart("mixed", "\r\nSee the list.", file("list.csv", "name,sum\nAnn,7\n")),
    );
    expect(mail.parts.map((part) => part.headings)).toEqual([[], ["list.csv"]]);
    expect(textOfParts(mail)).toContain("Attachments: list.csv");
    expect(mail.parts[1]?.text).toContain("Ann");
  });

  it("K4.5 that can't be read are named in a warning, and the message is read", async () => {
    const mail = await parseAs(
      "a.eml",
      multipart("mixed", "\r\nPhoto.", file("cat.jpg", "\xff\xd8\xff\xe0binary\0\0")),
    );
    expect(mail.warnings).toHaveLength(1);
    expect(mail.warnings[0]).toMatch(/^cat\.jpg was left out: /);
    expect(textOfParts(mail)).toContain("Photo.");
  });

  it("that are messages have their own head and locator", async () => {
    const inner = `${head.replace("Budget", "Inner").replace("<one@", "<two@")}\r\nfar inside`;
    const mail = await parseAs(
      "a.eml",
      multipart("mixed", "\r\nouter", `Content-Type: message/rfc822\r\n\r\n${inner}`),
    );
    expect(mail.parts[1]).toMatchObject({
      headings: ["Inner.eml"],
      locator: { messageId: "two@example.org" },
    });
    expect(mail.parts[1]?.text).toContain("far inside");
  });

  it("have names in pieces and in any charset", async () => {
    const part = lines(
      "Content-Type: text/plain",
      "Content-Disposition: attachment; filename*0*=utf-8''%C3%9Cber; filename*1*=sicht.txt",
      "",
      "inside",
    );
    const mail = await parseAs("a.eml", multipart("mixed", part));
    expect(mail.metadata["attachments"]).toEqual(["Übersicht.txt"]);
  });
});

describe("hostile mail", () => {
  it("that nests without end is read as far as it is followed, with a warning", async () => {
    let mail = head;
    for (let depth = 0; depth < 3000; depth++)
      mail += `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`;
    expect((await parseAs("a.eml", `${mail}\r\ntext`)).warnings.join(" ")).toContain(
      "more parts inside parts",
    );
  });

  it("with a hundred thousand parts, recipients and parameters ends", async () => {
    const parts = `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\nx\r\n".repeat(100_000)}`;
    expect((await parseAs("a.eml", parts)).warnings).toHaveLength(1);
    const many = head.replace("Bob <bob@example.org>", "a@b.c, ".repeat(100_000));
    expect(textOfParts(await parseAs("a.eml", `${many}\r\nx`))).toMatch(/and \d+ more/);
    const parameters = `${head}Content-Type: text/plain; ${"a*1=b; ".repeat(9000)}\r\n\r\nx`;
    expect(textOfParts(await parseAs("a.eml", parameters))).toContain("\n\nx");
  });

  it("with NULs, lone surrogates and bad bytes gives clean text", async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${head}\r\n`),
      Buffer.from([0x61, 0, 0xed, 0xa0, 0x80, 0xff, 0x62]),
    ]);
    const text = textOfParts(await parseAs("a.eml", bytes));
    expect(text).not.toContain("\0");
    expect(text).toBe(wellFormed(text));
  });

  it("that is encrypted says so", async () => {
    const mail = await parseAs(
      "a.eml",
      multipart("encrypted", "Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1"),
    );
    expect(mail.warnings.join(" ")).toContain("encrypted (PGP)");
  });

  it("K4.5 without head and text fails with a reason", async () => {
    expect(await failureOf(parseAs("a.eml", "MIME-Version: 1.0\r\n\r\n"))).toMatchObject({
      failure: "no_text",
    });
  });
});
