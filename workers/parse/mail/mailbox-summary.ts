import type { EmbeddedFile } from "../reader.ts";
import type { Message } from "./message.ts";
import type { MailboxEntry } from "./split-mailbox.ts";

/** What is told of a mailbox beside its messages. */
export interface MailboxSummary {
  /** Counts a message in; gives those of its attachments that may have text. */
  add(message: Message, entry: Omit<MailboxEntry, "bytes">): readonly EmbeddedFile[];
  /** The subject, when there is but one message. */
  onlySubject(): string | null;
  /** messages, firstDate, lastDate. */
  metadata(): Record<string, unknown>;
  warnings(): string[];
}

/** Messages with something missing, and names of attachments, that are named; the others are counted. */
const MAX_NAMED = 20;
const media = /\.(?:jpe?g|png|gif|bmp|tiff?|webp|heic|svgz|ico|mp[34]|m4[av]|mov|avi|mkv|wav|ogg|flac|wmv)$/i;

/** Attachments of a mailbox that have no text; they would fill its warnings. */
export function isMedia(name: string): boolean {
  return media.test(name);
}

export function createMailboxSummary(): MailboxSummary {
  let count = 0;
  let subject: string | null = null;
  let first: string | null = null;
  let last: string | null = null;
  const broken = createNames();
  const left = createNames();
  return {
    add(message, { firstLine, cut }) {
      count++;
      subject = message.subject;
      if (message.date !== null) {
        first = first === null || message.date < first ? message.date : first;
        last = last === null || message.date > last ? message.date : last;
      }
      const name = `Message ${count} (line ${firstLine}${message.subject === null ? "" : `, “${message.subject}”`})`;
      const problems = [...message.warnings];
      if (message.parts.length === 0) problems.push("It has neither a head nor a text.");
      if (cut) problems.push("It is too long; its end was left out.");
      if (problems.length > 0) broken.add(`${name}: ${problems.join(" ")}`);
      for (const { name } of message.children) if (isMedia(name)) left.add(name);
      return message.children.filter((child) => !isMedia(child.name));
    },
    onlySubject: () => (count === 1 ? subject : null),
    metadata: () => ({ messages: count, ...(first === null ? {} : { firstDate: first, lastDate: last }) }),
    warnings() {
      const warnings = [...broken.names];
      if (broken.more() > 0) warnings.push(`${broken.more()} more messages have something missing.`);
      if (left.names.length > 0) {
        const more = left.more() > 0 ? ` and ${left.more()} more` : "";
        warnings.push(`Attached pictures, sound and film were left out: ${left.names.join(", ")}${more}.`);
      }
      return warnings;
    },
  };
}

/** The first names of a list, and how many follow. */
function createNames(): { readonly names: readonly string[]; add(name: string): void; more(): number } {
  const names: string[] = [];
  let count = 0;
  return {
    names,
    add(name) {
      count++;
      if (names.length < MAX_NAMED) names.push(name);
    },
    more: () => count - names.length,
  };
}
