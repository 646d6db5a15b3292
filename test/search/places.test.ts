import { describe, expect, it } from "vitest";
import { createWordPages } from "../../workers/search/postings/fts5/word-pages.ts";
import { PostingList } from "../../workers/search/postings/posting-list.ts";
import {
  bytesFor,
  extentOfBoth,
  joinPostings,
  NO_POSTINGS,
  postingsIn,
  type Postings,
} from "../../workers/search/postings/postings.ts";
import { readTerm } from "../../workers/search/postings/read-postings.ts";
import { placesIn } from "../support/places.ts";
import { createRandom } from "../support/random.ts";
import { drawnRows, openWordIndex, toldByFts5, writeRows } from "../support/word-index.ts";

function joinedAnew(first: Postings, second: Postings): Postings {
  const extent = extentOfBoth(first, second);
  return joinPostings(first, second, postingsIn(new ArrayBuffer(bytesFor(extent)), 0, extent));
}

function copyOf(postings: Postings): Postings {
  return joinedAnew(NO_POSTINGS, postings);
}

describe("places in memory", () => {
  it("are told up to the 65,535th word, and of a title 255 of them, also when more units come", () => {
    const opened = openWordIndex();
    const said = (times: number) => Array.from({ length: times }, () => "lock rotate").join(" ");
    const rows = [
      { title: said(300), body: said(40_000) },
      { title: "", body: `${"a ".repeat(70_000)}lock` },
      { title: said(2), body: said(3) },
    ];
    writeRows(opened, 1, rows);
    const known = copyOf(opened.pages.postings("lock", 0)!);
    writeRows(opened, 4, drawnRows(40, 3));
    writeRows(opened, 44, rows);
    opened.pages.refresh();
    const wanted = toldByFts5(opened).get("lock")!;
    for (const fields of wanted.values()) {
      fields[0].splice(255);
      fields[1] = fields[1].map((place) => Math.min(place, 0xffff));
    }
    const joined = joinedAnew(known, opened.pages.postings("lock", 3)!);
    for (const found of [joined, opened.pages.postings("lock", 0), readTerm(opened.reader, "lock", 0)])
      expect(JSON.stringify([...placesIn(found)]) === JSON.stringify([...wanted])).toBe(true);
  });

  it("stay with their units wherever postings are cut in two and joined", () => {
    const opened = openWordIndex();
    writeRows(opened, 1, drawnRows(80, 5));
    for (const term of ["common", "w0", "w7", "w200"]) {
      const whole = placesIn(opened.pages.postings(term, 0));
      for (let cut = 0; cut <= 80; cut++) {
        const list = new PostingList();
        for (const [number, fields] of whole)
          for (const at of [0, 1] as const)
            if (number <= cut) for (const place of fields[at]) list.addPlace(number, at === 0, place);
        const joined = joinedAnew(list.postings(), opened.pages.postings(term, cut)!);
        expect(placesIn(joined)).toEqual(whole);
      }
    }
  });

  it("of pages with wrong bytes are read to an end, or left to FTS5", () => {
    const opened = openWordIndex();
    writeRows(opened, 1, drawnRows(300, 7));
    const { writer, pages } = opened;
    writer.unsafeMode(true);
    const ids = writer.prepare("SELECT id FROM unit_words_data WHERE id > 10").pluck().all() as number[];
    const read = writer.prepare("SELECT block FROM unit_words_data WHERE id = ?").pluck();
    const put = writer.prepare("UPDATE unit_words_data SET block = ? WHERE id = ?");
    const random = createRandom(11);
    let found = 0;
    for (let times = 0; times < 150; times++) {
      const id = ids[Math.floor(random() * ids.length)]!;
      const block = read.get(id) as Buffer;
      const damaged = Buffer.from(block);
      for (let at = 0; at < 4; at++)
        damaged[Math.floor(random() * block.length)] = Math.floor(random() * 256);
      put.run(damaged, id);
      // Where pages were is remembered as long as the index says that nothing has changed.
      const fresh = createWordPages(opened.reader);
      for (const term of ["common", "w0", "w3"]) found += placesIn(fresh.postings(term, 0)).size;
      put.run(block, id);
    }
    expect(found).toBeGreaterThan(0);
    expect(placesIn(pages.postings("w0", 0)).size).toBeGreaterThan(0);
  });
});
