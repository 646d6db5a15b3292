import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { baseId, openTestRegistry } from "../support/index-revision.ts";

const fixture = fileURLToPath(new URL("../support/index-writer-fixture.mjs", import.meta.url));

/** Starts a process that writes and deletes without end, and kills it so many milliseconds after its first commit. */
async function writeAndKill(dataDir: string, afterMs: number): Promise<string> {
  const child = spawn(process.execPath, [fixture, dataDir, baseId], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await once(child.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  await once(child, "close");
  return said;
}

describe("a process that is killed while it writes", () => {
  it.each([0, 7, 23, 61, 140])("K8.4 leaves each material whole or absent, %i ms in", async (afterMs) => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: false });
    await test.registry.close();
    const said = await writeAndKill(test.dataDir, afterMs);
    const registry = test.reopen();
    const report = await registry.check(baseId);
    expect(report.problems).toEqual([]);
    expect(test.recreated).toEqual([]);
    const materials = test.rows(
      "SELECT material_id, current_content_hash AS hash, count(unit_id) AS units " +
        "FROM material LEFT JOIN search_unit USING (material_id) GROUP BY material_id",
    );
    const whole = materials.filter((row) => row["hash"] !== null);
    for (const row of whole)
      expect(row["units"]).toBe(String(row["material_id"]).startsWith("big") ? 600 : 3);
    // P1: what was acknowledged is there.
    const acknowledged = said.split("\n").filter((line) => line.startsWith("stored "));
    const lost = acknowledged
      .map((line) => line.slice("stored ".length))
      .filter((id) => !said.includes(`removing ${id}\n`) && !whole.some((row) => row["material_id"] === id));
    expect(lost).toEqual([]);
  });
});
