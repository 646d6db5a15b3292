import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { SearchResult } from "../../rpc/contract/search.ts";
import { knowd } from "../support/command.ts";
import { temporaryFolder } from "../support/temporary.ts";

it("what knowd search and knowd similar call more is answered when it is asked for as they say", async () => {
  const home = temporaryFolder();
  const notes = path.join(home, "notes");
  mkdirSync(path.join(home, "run"), { mode: 0o700 });
  mkdirSync(notes);
  for (const name of ["garden", "harbour", "station"])
    writeFileSync(path.join(notes, `${name}.md`), `# ${name}\n\nThe keys of the ${name} hang by its door.\n`);
  onTestFinished(async () => {
    await knowd(home, ["stop"]);
  });
  expect((await knowd(home, ["up", notes])).code).toBe(0);
  for (const asked of [
    ["search", "keys", "--limit", "1"],
    ["similar", path.join(notes, "garden.md"), "--limit", "1"],
  ]) {
    const first = JSON.parse((await knowd(home, [...asked, "--json"])).stdout) as SearchResult;
    const next = await knowd(home, [...asked, "--cursor", first.cursor!, "--json"]);
    const second = JSON.parse(next.stdout) as SearchResult;
    expect(second.hits.map(({ rank }) => rank)).toEqual([2]);
    expect(second.hits[0]!.itemId).not.toBe(first.hits[0]!.itemId);
  }
  const listing = await knowd(home, ["explain", "type:md"]);
  expect(listing.stdout).toContain("no word to look for");
});
