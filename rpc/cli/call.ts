import { CommandFailure, EXIT } from "./exit.ts";
import { withClient, type GlobalFlags } from "./session.ts";

/** Calls any method and prints its result. `-` in the place of the params reads them from standard input. */
export async function call(method: string, params: string | undefined, flags: GlobalFlags): Promise<void> {
  const text = params === "-" ? await readAll() : (params ?? "{}");
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(
      EXIT.usage,
      `the params are not JSON: ${(error as Error).message}`,
      `knowd call ${method} '{"key":"value"}'`,
    );
  }
  await withClient(flags, async (client) => {
    // The daemon checks name and params; here they are only what a person typed.
    const result = await client.callAny(method, parsed);
    process.stdout.write(
      `${JSON.stringify(result, null, flags.json || !process.stdout.isTTY ? undefined : 2)}\n`,
    );
  });
}

async function readAll(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
