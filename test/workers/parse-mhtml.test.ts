import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const lines = (...text: string[]): string => text.join("\r\n");
const base64 = (text: Buffer): string => text.toString("base64");

describe("saved web pages", () => {
  const archive = (page: string, more = ""): string =>
    lines(
      "From: <Saved by Blink>",
      "Snapshot-Content-Location: https://example.org/page",
      "Subject: A page",
      "Date: Fri, 1 Mar 2024 10:00:00 +0000",
      "MIME-Version: 1.0",
      'Content-Type: multipart/related; type="text/html"; boundary="x"',
      "",
      "--x",
      page,
      "--x",
      "Content-Type: image/png",
      "Content-Transfer-Encoding: base64",
      "",
      "iVBORw0KGgo=",
      ...(more === "" ? [] : ["--x", more]),
      "--x--",
      "",
    );

  it("are read by the page's own reader, from any transfer encoding, with address and title", async () => {
    const html = "<html><head><title>Größe</title></head><body><h1>Kopf</h1><p>Käse = gut.</p></body></html>";
    const quoted = [...Buffer.from(html)]
      .map((byte) =>
        byte > 126 || byte === 61 ? `=${byte.toString(16).toUpperCase()}` : String.fromCharCode(byte),
      )
      .join("");
    const page = lines("Content-Type: text/html", "Content-Transfer-Encoding: quoted-printable", "", quoted);
    const saved = await parseAs("page.mhtml", archive(page));
    expect(saved).toMatchObject({
      format: "mhtml",
      title: "Größe",
      warnings: [],
      metadata: { url: "https://example.org/page", saved: "2024-03-01T10:00:00.000Z" },
    });
    expect(textOfParts(saved)).toBe("# Kopf\n\nKäse = gut.\n");
  });

  it("are told by their bytes, also those of office programs, and read in their charset", async () => {
    const page = Buffer.from(
      lines(
        "MIME-Version: 1.0",
        'Content-Type: multipart/related; boundary="x"',
        "",
        "--x",
        "Content-Type: text/html",
        "Content-Transfer-Encoding: base64",
        "",
        base64(Buffer.from('<meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>', "latin1")),
        "--x--",
      ),
    );
    expect(textOfParts(await parseAs("export.doc", page))).toBe("Привет\n");
  });

  it("of which the page only holds frames are read as what these show", async () => {
    const frames = "Content-Type: text/html\r\n\r\n<html><frameset><frame src='a'></frameset></html>";
    const saved = await parseAs(
      "a.mht",
      archive(frames, "Content-Type: text/html\r\n\r\n<p>inside a frame</p>"),
    );
    expect(textOfParts(saved)).toBe("inside a frame\n");
  });

  it("K4.5 without any text fail with a reason", async () => {
    const empty = archive("Content-Type: text/html\r\n\r\n<html></html>");
    expect(await failureOf(parseAs("a.mht", empty))).toMatchObject({ failure: "no_text" });
  });
});
