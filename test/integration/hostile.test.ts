import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { unsupported } from "../support/hostile/odd-bytes.ts";
import { beyondBounds, openOrdeal, type Ordeal, unreasoned } from "../support/hostile/ordeal.ts";
import { mutants, quickZoo } from "../support/hostile/all-zoos.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("hostile files beside innocent ones", () => {
  it("P10 P11 of each kind, and sound files of all formats with random faults, end with a reason or as documents, within bounds of memory, and harm nobody", async () => {
    const secret = path.join(temporaryFolder(), "secret.txt");
    writeFileSync(secret, "zqsecret words that are nobody's business\n");
    const ordeal = await openOrdeal();
    const endings = await ordeal.face({ ...quickZoo(secret), ...mutants(0, 250) });
    expect(unreasoned(endings)).toEqual([]);
    const { formats } = await ordeal.daemon.client.call("system.formats", {});
    const read = await ordeal.formats();
    const without = formats.filter(({ format }) => !read.has(format));
    // The compound files that this one meets are those that no other reads.
    expect(without.map(({ format }) => format)).toEqual(["ole"]);
    await ordeal.assertUnharmed();
    expect(beyondBounds(ordeal.peaks())).toEqual([]);
    const { client } = ordeal.daemon;
    const { hits } = await client.call("search.query", { query: '"zqsecret"' });
    expect(hits.filter((hit) => hit.text.includes("zqsecret"))).toEqual([]);
  }, 180_000);

  it("P10 files of types that are not read are listed as skipped, and looked at once", async () => {
    const ordeal = await openOrdeal();
    const { client } = ordeal.daemon;
    const endings = await ordeal.face(unsupported);
    for (const { name, item } of endings) expect([name, item.failure]).toEqual([name, "unsupported"]);
    const { counts } = (await client.call("base.get", { baseId: ordeal.base.id })).base;
    expect(counts).toMatchObject({ skipped: endings.length, failed: 0 });

    await client.call("source.rescan", { sourceId: ordeal.source.id });
    await ordeal.face({});
    const changes = await changesOf(ordeal);
    for (const { name, item } of endings) {
      const states = changes.filter((change) => change.id === item.id).map((change) => change.status);
      expect([name, ...states]).toEqual([name, "idle", "failed"]);
    }
    await ordeal.assertUnharmed();
    expect(ordeal.daemon.log()).not.toContain("tried alone");
  });
});

async function changesOf({ daemon }: Ordeal) {
  const all = [];
  for (let seq = 0, more = true; more;) {
    const page = await daemon.client.call("changes.since", { seq });
    all.push(...page.changes);
    ({ seq, more } = page);
  }
  return all;
}
