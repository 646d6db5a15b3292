import type { Token } from "../contract/sessions.ts";
import type { Client } from "../client.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { allOf } from "./pages.ts";
import { out, paint, paintError, printJson, shownName } from "./print.ts";
import { allBases, basesNamed, withClient, type GlobalFlags } from "./session.ts";

interface BaseFlags extends GlobalFlags {
  readonly base?: readonly string[] | undefined;
}

export interface CreateTokenFlags extends BaseFlags {
  readonly all?: boolean | undefined;
  readonly read?: boolean | undefined;
  readonly write?: boolean | undefined;
  readonly name?: string | undefined;
  readonly days?: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_NAME = 200;

/** Prints the secret alone to standard output, so that a script can take it from there. */
export async function createToken(flags: CreateTokenFlags): Promise<void> {
  const names = flags.base ?? [];
  if ((flags.all === true) === names.length > 0)
    throw new CommandFailure(EXIT.usage, "for which bases? name them with --base, or all of them with --all");
  if (flags.read === true && flags.write === true)
    throw new CommandFailure(EXIT.usage, "--read or --write? a token that may write may read as well");
  await withClient(flags, async (client) => {
    const bases = await basesNamed(client, names);
    const write = flags.write === true;
    const result = await client.call("token.create", {
      name: flags.name ?? (bases?.map(({ name }) => name).join(", ") ?? "all bases").slice(0, MAX_NAME),
      ...(bases ? { baseIds: bases.map(({ id }) => id) } : { all: true }),
      write,
      ...(flags.days !== undefined && { expiresAt: Date.now() + flags.days * DAY_MS }),
    });
    if (flags.json) return printJson(result);
    out(result.secret);
    process.stderr.write(
      `${paintError.dim("This is shown once. A program gives it as the first call of its connection: session.open {token}")}\n`,
    );
    return undefined;
  });
}

export async function listTokens(flags: GlobalFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const items = await allTokens(client);
    if (flags.json) return printJson({ items });
    const bases = new Map((await allBases(client)).map(({ id, name }) => [id, name]));
    for (const token of items) out(lineOf(token, bases));
    if (items.length === 0) out("No tokens. Make one: knowd token create --base <name>");
    return undefined;
  });
}

export async function revokeToken(name: string, flags: BaseFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const named = (await allTokens(client)).filter((token) => token.id === name || token.name === name);
    const [token] = named;
    if (!token)
      throw new CommandFailure(EXIT.notFound, `there is no token "${name}"`, "see knowd token list");
    if (named.length > 1)
      throw new CommandFailure(
        EXIT.usage,
        `${named.length} tokens are called "${name}"`,
        "name it by its id: knowd token list",
      );
    const bases = await basesNamed(client, flags.base);
    const result = await client.call("token.revoke", {
      tokenId: token.id,
      ...(bases && { baseIds: bases.map(({ id }) => id) }),
    });
    if (flags.json) printJson(result);
    else
      out(
        bases ? `${shownName(token.name)} grants these bases no more.` : `Revoked ${shownName(token.name)}.`,
      );
  });
}

async function allTokens(client: Client): Promise<Token[]> {
  return await allOf((page) => client.call("token.list", page));
}

function lineOf({ id, name, baseIds, write, expiresAt }: Token, bases: ReadonlyMap<string, string>): string {
  const granted = baseIds?.map((baseId) => bases.get(baseId) ?? "a deleted base").join(", ") ?? "all bases";
  const until = expiresAt === null ? "" : `  ${expiry(expiresAt)}`;
  return `${shownName(name)}  ${write ? "write" : "read"}  ${shownName(granted || "no base any more")}${until}  ${paint.dim(id)}`;
}

function expiry(expiresAt: number): string {
  const at = new Date(expiresAt).toISOString().slice(0, 10);
  return expiresAt <= Date.now() ? `expired on ${at}` : `until ${at}`;
}
