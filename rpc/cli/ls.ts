import path from "node:path";
import type { TreeNode } from "../contract/items.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { out, paint, plural, printJson, shownName, shownPath } from "./print.ts";
import { notRead } from "./not-read.ts";
import { allBases, basesNamed, withClient, type GlobalFlags } from "./session.ts";
import { allSources } from "./up.ts";

/** Without a name: the bases with what they watch. With one: its items as a tree. */
export async function ls(name: string | undefined, flags: GlobalFlags): Promise<void> {
  await withClient(flags, async (client) => {
    if (name !== undefined) {
      const base = (await basesNamed(client, [name]))?.[0];
      if (!base) throw new CommandFailure(EXIT.notFound, `there is no base "${name}"`);
      const tree = await client.call("item.tree", { baseId: base.id });
      if (flags.json) return printJson(tree);
      for (const node of tree.nodes) out(treeLine(node));
      if (tree.truncated)
        out(paint.dim("… more than 1,000 items: knowd call item.list pages through all of them"));
      return undefined;
    }
    const bases = await allBases(client);
    const sources = await allSources(client);
    if (flags.json) return printJson({ bases, sources });
    for (const base of bases) {
      const { completed, chunks } = base.counts;
      const model = base.embeddingModelId ?? "words only";
      const problems = notRead(base.counts);
      out(
        `${paint.bold(shownName(base.name))}  ${plural(completed, "file")}, ${plural(chunks, "chunk")}${problems}  ${paint.dim(`${model}, ${base.activity}`)}`,
      );
      for (const source of sources.filter((one) => one.baseId === base.id)) {
        out(`  ${shownPath(source.path)}  ${paint.dim(source.stateReason ?? source.state)}`);
      }
    }
    if (bases.length === 0) out("No bases yet. Watch a folder: knowd up ~/notes");
    return undefined;
  });
}

function treeLine(node: TreeNode): string {
  const indent = "  ".repeat(node.depth);
  // A document's own title may differ from its file's name, which is what a listing is for.
  const title = shownName(node.conceptId === null ? node.title : path.posix.basename(node.conceptId));
  if (node.type === "directory")
    return `${indent}${paint.blue(`${title}/`)} ${paint.dim(plural(node.children, "entry", "entries"))}`;
  const url = node.url === null ? "" : `  ${paint.dim(shownName(node.url))}`;
  const status = node.status === "completed" ? "" : ` ${paint.yellow(node.status)}`;
  const problem =
    node.refreshError === null ? "" : `\n${indent}  ${paint.yellow(shownName(node.refreshError))}`;
  return `${indent}${title}${status}${url}${problem}`;
}
