import { describe, expect, it } from "vitest";
import { createMailboxSplitter, type MailboxEntry } from "../../workers/parse/mail/split-mailbox.ts";
import { parseAs, textOfParts } from "../support/parse.ts";

const envelope = "From ann@example.org Mon Jan  1 10:00:00 2024\n";
const message = (number: number, body: string): string =>
  `${envelope}From: ann@example.org\nSubject: Number ${number}\nDate: Mon, ${number} Jan 2024 10:00:00 +0000\n` +
  `Message-ID: <${number}@example.org>\n\n${body}\n\n`;

function split(text: string, chunkBytes: number, maxMessageBytes?: number): MailboxEntry[] {
  const bytes = Buffer.from(text, "latin1");
  const splitter = createMailboxSplitter(maxMessageBytes);
  const entries: MailboxEntry[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes);
    entries.push(...splitter.push(chunk, at + chunkBytes >= bytes.length));
  }
  return entries;
}

describe("mailboxes", () => {
  it("give each message as its own part, under its subject, with its id and its lines", async () => {
    const mailbox = await parseAs("Inbox", message(1, "first") + message(2, "second"));
    expect(mailbox).toMatchObject({
      format: "mbox",
      title: null,
      warnings: [],
      metadata: { messages: 2, firstDate: "2024-01-01T10:00:00.000Z", lastDate: "2024-01-02T10:00:00.000Z" },
    });
    expect(mailbox.parts).toMatchObject([
      { headings: ["Number 1"], locator: { messageId: "1@example.org", lineStart: 1, lineEnd: 8 } },
      { headings: ["Number 2"], locator: { messageId: "2@example.org", lineStart: 9, lineEnd: 16 } },
    ]);
    expect(mailbox.parts[1]?.text).toMatch(/second$/);
  });

  it("take the marks off lines that begin with From (mboxo, mboxrd)", async () => {
    const text = textOfParts(await parseAs("a.mbox", message(1, ">From here on\n>>From there\nno >From")));
    expect(text).toContain("\nFrom here on\n>From there\nno >From");
  });

  it("end no message at a line of its text that begins with From", async () => {
    const body = "He said:\n\nFrom now on, in 2024, we meet at 10:30.\nFrom ten to twelve.";
    expect((await parseAs("a.mbox", message(1, body) + message(2, "x"))).metadata["messages"]).toBe(2);
  });

  it("believe a length that leads to the next message (mboxcl2), and no other", async () => {
    const body = "text\n\nFrom bob@example.org Tue Jan  2 10:00:00 2024\nnot a message\n";
    const counted = (length: number): string =>
      `${envelope}Subject: S\nContent-Length: ${length}\n\n${body}\n${message(2, "next")}`;
    expect((await parseAs("a.mbox", counted(body.length))).metadata["messages"]).toBe(2);
    expect((await parseAs("a.mbox", counted(7))).metadata["messages"]).toBe(3);
    expect((await parseAs("a.mbox", counted(999_999_999_999))).metadata["messages"]).toBe(3);
  });

  it("name the messages that have something missing", async () => {
    const mailbox = await parseAs(
      "a.mbox",
      `${message(1, "sound")}${envelope}\n\n${message(3, "sound too")}`,
    );
    expect(mailbox.warnings).toEqual(["Message 2 (line 9): It has neither a head nor a text."]);
    expect(mailbox.parts).toHaveLength(2);
  });

  it("read attachments by their own readers, under the message they came with, and count pictures in one warning", async () => {
    const part = (name: string, text: string): string =>
      `--b\nContent-Disposition: attachment; filename=${name}\nContent-Type: application/octet-stream\n\n${text}\n`;
    const mail = message(1, `${part("a.csv", "name,sum\nAnn,7")}${part("cat.jpg", "x")}--b--`).replace(
      "\n\n",
      "\nContent-Type: multipart/mixed; boundary=b\n\n",
    );
    const mailbox = await parseAs("a.mbox", mail);
    expect(mailbox.parts[1]).toMatchObject({
      headings: ["Number 1", "a.csv"],
      locator: { messageId: "1@example.org" },
    });
    expect(mailbox.warnings).toEqual(["Attached pictures, sound and film were left out: cat.jpg."]);
  });
});

describe("a mailbox in chunks", () => {
  const text = Array.from({ length: 30 }, (_, index) =>
    message(index + 1, `text\n>From ${"y".repeat(index * 200)}`),
  ).join("");

  it.each([13, 1000, 4096, 100_000])("gives the same messages when a chunk has %i bytes", (chunkBytes) => {
    const whole = split(text, text.length);
    expect(whole).toHaveLength(30);
    const pieces = split(text, chunkBytes);
    expect(pieces.map((entry) => entry.bytes.toString("latin1"))).toEqual(
      whole.map((entry) => entry.bytes.toString("latin1")),
    );
    expect(pieces.map((entry) => entry.firstLine)).toEqual(whole.map((entry) => entry.firstLine));
  });

  it("gives the beginning of a message that is too long and goes on with the next", () => {
    const long = message(1, "a".repeat(200_000)) + message(2, "short");
    const entries = split(long, 10_000, 50_000);
    expect(entries.map((entry) => entry.cut)).toEqual([true, false]);
    expect(entries[0]?.bytes.length).toBeLessThan(70_000);
    expect(entries[1]?.bytes.toString("latin1")).toContain("short");
    expect(entries[1]?.firstLine).toBe(9);
  });
});
