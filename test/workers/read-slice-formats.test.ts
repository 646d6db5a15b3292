import { describe, expect, it } from "vitest";
import { allSlices, soundUnits, textOf, written } from "../support/slices.ts";

describe("a slice", () => {
  it("of JSON is not said to be none, since the whole may well be", async () => {
    const rows = Array.from({ length: 2000 }, (_, at) => `  {"name": "Name ${at}"}`);
    const slices = await allSlices(written("a.json", `[\n${rows.join(",\n")}\n]\n`));
    expect(slices.length).toBeGreaterThan(3);
    expect(slices.flatMap((slice) => slice.warnings)).toEqual([]);
    expect(textOf(slices)).toContain("Name 1999");
  });

  describe("of a table", () => {
    const rows = Array.from(
      { length: 400 },
      (_, at) => `${at + 1},"Name ${at + 1}, the ""${at}""",city ${at % 7}`,
    );

    it("every slice stands under the names of its columns, rows and lines count on", async () => {
      const slices = await allSlices(written("a.csv", `id,name,city\n${rows.join("\n")}\n`));
      expect(slices.length).toBeGreaterThan(3);
      for (const unit of soundUnits(slices)) {
        expect(unit.text).toContain("name");
        const number = Number(/Name (\d+),/.exec(unit.text)?.[1]);
        expect(unit.locator?.lineStart).toBe(number + 1);
        expect(unit.locator?.range).toMatch(new RegExp(`^(?:1|${number + 1}):\\d+$`));
      }
      for (const row of [1, 133, 400]) expect(textOf(slices)).toContain(`Name ${row}, the "${row - 1}"`);
      expect(slices.at(-1)?.metadata).toMatchObject({ rows: 401, columns: ["id", "name", "city"] });
    });

    it("K7.6 a line that names the delimiter is no row, and rows count on behind it as in a short file", async () => {
      const slices = await allSlices(written("a.csv", `sep=,\nid,name,city\n${rows.join("\n")}\n`));
      expect(slices.length).toBeGreaterThan(3);
      for (const unit of soundUnits(slices)) {
        const number = Number(/Name (\d+),/.exec(unit.text)?.[1]);
        expect(unit.locator?.lineStart).toBe(number + 2);
        expect(unit.locator?.range).toMatch(new RegExp(`^(?:1|${number + 1}):\\d+$`));
      }
      expect(slices.at(-1)?.metadata).toMatchObject({ rows: 401 });
    });

    it("in UTF-16 half a character at its end costs nothing but itself", async () => {
      const bytes = Buffer.from(`\uFEFFid,name,city\n${rows.join("\n")}\n`, "utf16le");
      const slices = await allSlices(written("a.csv", Buffer.concat([bytes, Buffer.from([0x41])])));
      expect(slices.flatMap((slice) => slice.warnings)).toEqual([]);
      for (const row of [1, 133, 400]) expect(textOf(slices)).toContain(`Name ${row}, the "${row - 1}"`);
    });

    it("a row with line ends inside its quotes is never cut", async () => {
      const long = rows.map((row, at) =>
        at % 20 === 0 ? `${at},"first\nsecond ${"word ".repeat(150)}\nlast ${at}",x` : row,
      );
      const slices = await allSlices(written("a.csv", `id,name,city\n${long.join("\n")}\n`));
      const text = textOf(slices);
      for (let at = 0; at < 400; at += 20)
        expect(text).toMatch(new RegExp(`first second [word ]+ last ${at} \\| x`));
    });

    it("a quote that is never closed costs the rows that it swallows their form, not their text", async () => {
      const broken = rows.map((row, at) => (at === 150 ? `151,"never closed,x` : row.replaceAll('"', "")));
      const slices = await allSlices(written("a.csv", `id,name,city\n${broken.join("\n")}\n`));
      expect(slices.flatMap((slice) => slice.warnings).join(" ")).toContain("never closed");
      for (const row of [1, 140, 152, 399]) expect(textOf(slices)).toContain(`Name ${row}`);
    });
  });

  describe("of a mailbox", () => {
    const message = (at: number, body: string, headers = ""): string =>
      `From a@example.org Mon Nov  2 10:00:0${at % 10} 2026\nFrom: Ann <ann@example.org>\nTo: Bob <bob@example.org>\n` +
      `Subject: Subject number ${at}\nMessage-ID: <id-${at}@example.org>\nDate: Mon, 2 Nov 2026 10:00:00 +0000\n${headers}\n${body}\n\n`;

    it("no message is cut, each stands under its subject with its id and its lines", async () => {
      const bodies = Array.from(
        { length: 60 },
        (_, at) => `Body of ${at}. ${"Some words here. ".repeat(at % 30)}`,
      );
      const source = bodies.map((body, at) => message(at, body)).join("");
      const slices = await allSlices(written("a.mbox", source));
      expect(slices.length).toBeGreaterThan(3);
      const lines = source.split("\n");
      const units = soundUnits(slices);
      for (let at = 0; at < 60; at++) {
        const unit = units.find((one) => one.locator?.messageId === `id-${at}@example.org`);
        expect(unit?.text).toContain(`Body of ${at}.`);
        expect(unit?.headings[0]).toBe(`Subject number ${at}`);
        expect(lines[(unit?.locator?.lineStart ?? 0) + 3]).toContain(`<id-${at}@`);
      }
      expect(slices.at(-1)?.metadata).toMatchObject({ messages: 60 });
    });

    it("a message that is longer than a slice is waited for, with its attachment", async () => {
      const csv = Buffer.from(
        Array.from({ length: 900 }, (_, at) => `${at},attached zebra ${at}`).join("\n"),
      );
      const body = `--b\nContent-Type: text/plain\n\nSee the attachment.\n--b\nContent-Type: text/csv; name="a.csv"\nContent-Disposition: attachment; filename="a.csv"\nContent-Transfer-Encoding: base64\n\n${csv.toString("base64").replaceAll(/.{76}/g, "$&\n")}\n--b--`;
      const long = message(1, body, 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n');
      const slices = await allSlices(written("a.mbox", message(0, "short") + long + message(2, "the last")));
      const text = textOf(slices);
      expect(text).toContain("attached zebra 899");
      expect(text).toContain("the last");
      expect(text).not.toContain(csv.toString("base64").slice(0, 40));
    });

    it("of a message that is too long its beginning is read, and what follows it", async () => {
      const source =
        message(0, "before") + message(1, "endless words\n".repeat(5000)) + message(2, "after it");
      const slices = await allSlices(written("a.mbox", source), { maxSliceBytes: 20_000 });
      const units = soundUnits(slices);
      expect(units.some((unit) => unit.text.includes("after it"))).toBe(true);
      expect(slices.flatMap((slice) => slice.warnings).join(" ")).toMatch(/Message 2 .*too long/);
      expect(slices.at(-1)?.metadata).toMatchObject({ messages: 3 });
    });

    it("what a message that is too long says of lengths behind its beginning hides no message", async () => {
      const quoted = "Content-Length: 30000\nof another message\n\nand so on\n".repeat(400);
      const after = Array.from({ length: 30 }, (_, at) => message(at + 1, `after it ${at}. `.repeat(120)));
      const slices = await allSlices(written("a.mbox", message(0, quoted) + after.join("")), {
        sliceBytes: 12_000,
        maxSliceBytes: 12_000,
      });
      const text = textOf(slices);
      for (let at = 0; at < 30; at++) expect(text).toContain(`after it ${at}. `);
      expect(slices.at(-1)?.metadata).toMatchObject({ messages: 31 });
    });

    it.each([
      ["from its beginning on", "endless".repeat(15_000)],
      ["behind its beginning", "endless words\n".repeat(2000) + "endless".repeat(15_000)],
    ])(
      "a line without end in a message that is too long %s is passed over in whole slices",
      async (_, body) => {
        const source = message(0, "before") + message(1, body) + message(2, "after it");
        const slices = await allSlices(written("a.mbox", source), { maxSliceBytes: 20_000 });
        expect(slices.length).toBeLessThan((2 * source.length) / 2000);
        const text = textOf(slices);
        for (const part of ["before", "endless", "after it"]) expect(text).toContain(part);
        expect(slices.at(-1)?.metadata).toMatchObject({ messages: 3 });
      },
    );
  });
});
