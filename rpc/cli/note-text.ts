import { createReadStream } from "node:fs";
import { CommandFailure, EXIT } from "./exit.ts";

/** Written as JSON it fits a message of the daemon's usual 1 MiB, with room for what stands around it. */
const MAX_JSON_BYTES = 1_000_000;

/** The text of a note: the words of the command line, else a file, else standard input (`-`, or neither). */
export async function noteText(words: readonly string[], file: string | undefined): Promise<string> {
  if (words.length > 0 && file !== undefined)
    throw new CommandFailure(EXIT.usage, "a note is a text or a file", "leave one of them out");
  if (words.length === 0 && file === undefined && process.stdin.isTTY)
    throw new CommandFailure(
      EXIT.usage,
      "note what?",
      'knowd note "a text", or --file <path>, or | knowd note',
    );
  const text = words.length > 0 ? words.join(" ") : await readText(file ?? "-");
  if (text.trim() === "") throw new CommandFailure(EXIT.usage, "the note is blank: nothing was kept");
  if (Buffer.byteLength(JSON.stringify(text)) > MAX_JSON_BYTES) throw tooLarge();
  return text;
}

/** No more of it is read than a note may be. */
async function readText(file: string): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of file === "-" ? process.stdin : createReadStream(file)) {
      parts.push(part as Buffer);
      bytes += (part as Buffer).length;
      if (bytes > MAX_JSON_BYTES) throw tooLarge();
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new CommandFailure(
      isGone ? EXIT.notFound : EXIT.failed,
      `${file} can't be read: ${(error as Error).message}`,
    );
  }
  return decoded(Buffer.concat(parts), file);
}

function decoded(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const what = file === "-" ? "standard input" : file;
    throw new CommandFailure(
      EXIT.usage,
      `${what} is no UTF-8 text`,
      "files in other encodings and formats: knowd add",
    );
  }
}

function tooLarge(): CommandFailure {
  return new CommandFailure(
    EXIT.usage,
    `a note may have ${MAX_JSON_BYTES / 1000} KB at most: nothing was kept`,
    "keep it as a file: knowd add <file> --base <name>",
  );
}
