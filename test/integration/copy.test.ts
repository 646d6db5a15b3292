import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { startDaemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("a source with copies", () => {
  it("K11.4 keeps each file's bytes in the base, in step with the file, and only when it asks for that", async () => {
    const folder = path.join(temporaryFolder(), "");
    const { client, dataDir } = await startDaemon({ settings: { "ingest.graceMs": 0 } });
    const { base } = await client.call("base.create", { name: "kept" });
    const file = path.join(folder, "a.md");
    writeFileSync(file, "zqfirst text\n");
    const { source } = await client.call("source.add", { baseId: base.id, path: folder, copy: true });
    await client.call("source.sync", { sourceId: source.id });
    const copyOf = (name: string): string =>
      path.join(dataDir, "KnowledgeBase", base.id, "raw", path.basename(folder), name);
    expect(readFileSync(copyOf("a.md"), "utf8")).toBe("zqfirst text\n");

    writeFileSync(file, "zqsecond text\n");
    await client.call("source.sync", { sourceId: source.id });
    expect(readFileSync(copyOf("a.md"), "utf8")).toBe("zqsecond text\n");

    renameSync(file, path.join(folder, "b.md"));
    await untilFoundIn(client, "zqsecond", [path.join(folder, "b.md")]);
    await eventually(() => (existsSync(copyOf("b.md")) && !existsSync(copyOf("a.md")) ? true : undefined));

    writeFileSync(path.join(folder, "other.md"), "another\n");
    rmSync(path.join(folder, "b.md"));
    await eventually(() => (existsSync(copyOf("b.md")) ? undefined : true));

    const plain = await client.call("base.create", { name: "in place" });
    const second = await client.call("source.add", { baseId: plain.base.id, path: folder });
    await client.call("source.sync", { sourceId: second.source.id });
    expect(existsSync(path.join(dataDir, "KnowledgeBase", plain.base.id, "raw", path.basename(folder)))).toBe(
      false,
    );
  });
});
