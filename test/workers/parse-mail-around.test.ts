import { describe, expect, it } from "vitest";
import { parseAs, textOfParts } from "../support/parse.ts";

const head =
  "From: Ann <ann@example.org>\r\nTo: Bob <bob@example.org>\r\nSubject: Budget\r\nMessage-ID: <one@example.org>\r\nMIME-Version: 1.0\r\n";

describe("what stands around a message", () => {
  it("an invitation says when and where, beside the text that comes with it", async () => {
    const calendar = [
      "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nDTSTART:16010101T000000\nEND:VTIMEZONE\nBEGIN:VEVENT",
      'DTSTART;TZID="W. Europe: Berlin":20240312T100000\nDTEND:20240312T110000Z\nLOCATION:Room\\, up\n stairs',
      "BEGIN:VALARM\nLOCATION:none\nEND:VALARM\nEND:VEVENT\nEND:VCALENDAR",
    ].join("\n");
    const mail = await parseAs(
      "a.eml",
      `${head}Content-Type: multipart/alternative; boundary="b"\r\n\r\n--b\r\n\r\nJoin us.\r\n--b\r\n` +
        `Content-Type: text/calendar; method=REQUEST\r\n\r\n${calendar}\r\n--b--\r\n`,
    );
    expect(textOfParts(mail)).toContain(
      "Start: 2024-03-12 10:00 W. Europe: Berlin\nEnd: 2024-03-12 11:00 UTC\nLocation: Room, upstairs\n\nJoin us.",
    );
    expect(mail.metadata).toMatchObject({
      start: "2024-03-12 10:00 W. Europe: Berlin",
      location: "Room, upstairs",
    });
  });

  it("what Apple Mail writes behind it, and the head of the next message of a mailbox, are no text of it", async () => {
    const message = `${head}\r\nThe plan.\r\n`;
    const apple = await parseAs("a.emlx", `${message.length}   \n${message}<?xml version="1.0"?><plist/>`);
    expect(textOfParts(apple)).toMatch(/\n\nThe plan\.$/);
    const next = "\r\nFrom bob@example.org Fri Mar  1 10:00:00 2024\r\nX-Id: 1\r\n";
    expect(textOfParts(await parseAs("a.eml", `${message}${next}`))).toMatch(/\n\nThe plan\.$/);
    const quoted = await parseAs("b.eml", `${message}${next}\r\nHi.\r\n`);
    expect(textOfParts(quoted)).toMatch(/Hi\.$/);
  });

  /** DER: a tag, the length, the content. */
  const der = (tag: number, ...content: Buffer[]): Buffer => {
    const whole = Buffer.concat(content);
    const length = whole.length < 128 ? [whole.length] : [0x82, whole.length >> 8, whole.length & 255];
    return Buffer.concat([Buffer.from([tag, ...length]), whole]);
  };
  /** BER of a length that is not known beforehand. */
  const ber = (tag: number, ...content: Buffer[]): Buffer =>
    Buffer.concat([Buffer.from([tag, 0x80]), ...content, Buffer.from([0, 0])]);
  const kind = (last: number): Buffer =>
    der(6, Buffer.from([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, last]));
  const inner = Buffer.from(
    "Content-Type: text/plain; charset=utf-8\r\n\r\nDer signierte Plan für März.\r\n",
  );
  const sealed = (bytes: Buffer): string =>
    `${head}Content-Type: application/pkcs7-mime; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString("base64")}\r\n`;

  it.each([
    ["with lengths", der, der(4, inner)],
    ["without lengths", ber, ber(0x24, der(4, inner.subarray(0, 50)), der(4, inner.subarray(50)))],
  ])("a message inside of its signature is read, %s", async (_, write, octets) => {
    const content = write(0x30, kind(1), write(0xa0, octets));
    const version = der(2, Buffer.from([1]));
    const bytes = write(0x30, kind(2), write(0xa0, write(0x30, version, der(0x31), content)));
    const mail = await parseAs("a.eml", sealed(bytes));
    expect(textOfParts(mail)).toMatch(/\n\nDer signierte Plan für März\.$/);
    expect(mail.warnings).toEqual([]);
    for (let end = 0; end < bytes.length; end += 7) await parseAs("a.eml", sealed(bytes.subarray(0, end)));
  });

  it("what is encrypted, or nested without end, is only told", async () => {
    const encrypted = await parseAs("a.eml", sealed(der(0x30, kind(3), der(0xa0))));
    expect(encrypted.warnings).toEqual([expect.stringContaining("encrypted (S/MIME)")]);
    const nested = await parseAs("a.eml", sealed(Buffer.alloc(200_000, Buffer.from([0x30, 0x80]))));
    expect(nested.warnings).toHaveLength(1);
  });

  it("what Outlook packed into a winmail.dat is unpacked, its text where the message has none", async () => {
    const number = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
    const attribute = (id: number, value: Buffer): Buffer =>
      Buffer.concat([Buffer.from([2]), number(id), number(value.length), value, Buffer.alloc(2)]);
    const property = (tag: number[], value: Buffer): Buffer =>
      Buffer.concat([Buffer.from(tag), number(1), number(value.length), value]);
    const rtf = Buffer.from(String.raw`{\rtf1\ansi Packed words.\par}`);
    const stored = Buffer.concat([
      number(rtf.length + 12),
      number(rtf.length),
      number(0x414c454d),
      number(0),
      rtf,
    ]);
    const packed = Buffer.concat([
      Buffer.from([0x78, 0x9f, 0x3e, 0x22, 1, 0]),
      attribute(0x69003, property([0x02, 0x01, 0x09, 0x10], stored)),
      attribute(0x69002, Buffer.alloc(14)),
      attribute(0x18010, Buffer.from("NOTES~1.TXT\0")),
      attribute(0x6800f, Buffer.from("the notes")),
      attribute(0x69005, property([0x1f, 0, 0x07, 0x37], Buffer.from("Größe.txt\0", "utf16le"))),
    ]);
    const mail = (bytes: Buffer): string =>
      `${head}Content-Type: application/ms-tnef; name=winmail.dat\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString("base64")}`;
    const { parts, metadata, warnings } = await parseAs("a.eml", mail(packed));
    expect(parts.map(({ text }) => text.trim()).slice(1)).toEqual(["Packed words.", "the notes"]);
    expect(metadata).toMatchObject({ attachments: ["Message.rtf", "Größe.txt"] });
    expect(warnings).toEqual([]);
    for (let end = 0; end < packed.length; end += 5) await parseAs("a.eml", mail(packed.subarray(0, end)));
  });
});
