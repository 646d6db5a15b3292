import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const limits = { maxTextChars: 1_000_000, chunkTokens: 40 };

describe("subtitles", () => {
  it("of SubRip are read as passages with the time of their first cue", async () => {
    const srt =
      "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>We begin</i>\r\nhere.\r\n\r\n2\r\n00:01:02,500 --> 00:01:04,000\r\n{\\an8}2 &lt; 3\r\n";
    const film = await parseAs("a.srt", srt);
    expect(film).toMatchObject({
      format: "subtitles",
      metadata: { cues: 2, durationMs: 64_000 },
      warnings: [],
    });
    expect(film.parts).toMatchObject([{ text: "We begin here.\n2 < 3", locator: { timestampMs: 1000 } }]);
  });

  it("are told by their bytes, in UTF-16 too; a text with an arrow is none", async () => {
    const cue = "1\n00:00:01,000 --> 00:00:02,000\nHello\n";
    expect((await parseAs("film", `\uFEFF${cue}`)).format).toBe("subtitles");
    expect((await parseAs("a.srt", Buffer.from(`\uFEFF${cue}`, "utf16le"))).metadata["encoding"]).toBe(
      "utf-16le",
    );
    expect((await parseAs("a.srt", "notes --> to be written")).format).toBe("text");
  });

  it("keep sentences whole and end passages at them", async () => {
    const cues = Array.from(
      { length: 40 },
      (_, index) =>
        `${index + 1}\n00:00:${String(index).padStart(2, "0")},000 --> 00:00:${String(index).padStart(2, "0")},900\n` +
        (index % 2 === 0 ? `Sentence ${index} begins` : "and ends here."),
    ).join("\n\n");
    const film = await parseAs("a.srt", cues, { limits });
    expect(film.parts.length).toBeGreaterThan(5);
    for (const part of film.parts) expect(part.text).toMatch(/^Sentence (\d+) begins .*and ends here\.$/s);
    expect(film.parts[1]?.locator?.timestampMs).toBe(
      Number(/\d+/.exec(film.parts[1]?.text ?? "")?.[0]) * 1000,
    );
    expect(textOfParts(film).match(/Sentence/g)).toHaveLength(20);
  });

  it("of WebVTT keep who speaks, and leave notes, styles and identifiers out", async () => {
    const vtt =
      "WEBVTT - A talk\nLanguage: en\n\nSTYLE\n::cue { color: red }\n\nNOTE not said\n\nintro-1\n00:01.000 --> 00:02.000 align:start\n" +
      "<v.loud Ann>Hello <c.x>there</c>\n\n00:02.000 --> 00:03.000\n<v Ann>and welcome.</v>\n\n00:03.000 --> 00:04.000\n<v Bob>Thanks&nbsp;<00:03.500>all</v>\n";
    const talk = await parseAs("a.vtt", vtt);
    expect(talk.metadata).toMatchObject({
      header: "A talk",
      language: "en",
      cues: 3,
      speakers: ["Ann", "Bob"],
    });
    expect(textOfParts(talk)).toBe("Ann: Hello there and welcome.\nBob: Thanks all");
  });

  it("in which names stand in front of what is said begin a line with each", async () => {
    const cues = ["Ann Bell: Good morning.", "Bob (Guest): Morning.", "Shall we start?"];
    const text = `WEBVTT\n\n${cues.map((cue, at) => `00:0${at}.000 --> 00:0${at + 1}.000\n${cue}\n`).join("\n")}`;
    const { parts } = await parseAs("a.vtt", text);
    expect(parts[0]?.text).toBe("Ann Bell: Good morning.\nBob (Guest): Morning. Shall we start?");
  });

  it("that roll, as live captions do, give each line once", async () => {
    const vtt =
      "WEBVTT\n\n00:00.000 --> 00:02.000\nfirst line\n\n00:02.000 --> 00:02.010\nfirst line\n\n00:02.010 --> 00:04.000\nfirst line\nsecond line\n\n" +
      "00:04.000 --> 00:04.010\nsecond line\n\n00:04.010 --> 00:06.000\nsecond line\nthird line\n";
    expect(textOfParts(await parseAs("a.vtt", vtt))).toBe("first line second line third line");
  });

  it("of SubStation Alpha are read in the order of their times, without drawings", async () => {
    const ass =
      "[Script Info]\nTitle: A film\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n" +
      "Dialogue: 0,0:00:05.00,0:00:06.00,Default,Bob,0,0,0,,Later, {\\i1}he said{\\i0}\n" +
      "Dialogue: 0,0:00:01.50,0:00:02.00,Default,,0,0,0,,First\\Nline\nDialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,{\\p1}m 0 0 l 1 1\n";
    const film = await parseAs("a.ass", ass);
    expect(film.title).toBe("A film");
    expect(film.parts).toMatchObject([
      { text: "First line\nBob: Later, he said", locator: { timestampMs: 1500 } },
    ]);
  });

  it("with times that can't be read say so; K4.5 without any text fail", async () => {
    const film = await parseAs("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nyes\n\n2\n0x --> y\nno\n");
    expect(film.warnings).toHaveLength(1);
    expect(textOfParts(film)).not.toContain("no");
    expect(await failureOf(parseAs("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<i></i>\n"))).toMatchObject({
      failure: "no_text",
    });
  });
});
