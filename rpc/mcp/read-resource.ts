import type { ReadResourceResult } from "@modelcontextprotocol/sdk/types.js";
import type { Result } from "../contract/index.ts";
import type { Link } from "./link.ts";
import { conceptUri, type Concept } from "./resource-uri.ts";

/** As kb.read answers at most, in UTF-16 units. */
const WINDOW_CHARS = 20_000;
/** Of a resource that is read without saying how much of it; what follows has a URI of its own. */
const MAX_CHARS = 100_000;

/** A document's text, window by window, and what is needed to cite it and to read on. */
export async function readResource(
  link: Link,
  concept: Concept,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const { baseId, conceptId, from } = concept;
  const end = Math.min(concept.to ?? Infinity, from + MAX_CHARS);
  const read = async (charStart: number) =>
    (await link.call(
      "kb.read",
      { baseId, conceptId, charStart, charEnd: Math.min(end, charStart + WINDOW_CHARS) },
      "read",
      { signal },
    )) as Result<"kb.read">;
  let window = await read(from);
  const { contentHash } = window;
  let text = window.text ?? "";
  let at = window.charEnd ?? from;
  while (at < Math.min(end, window.totalChars) && (window.text ?? "") !== "") {
    window = await read(at);
    // Pieces of two texts are none: what is new is read from its own start, by whoever asks next.
    if (window.contentHash !== contentHash) break;
    text += window.text ?? "";
    at = window.charEnd ?? at;
  }
  const isMore = at < window.totalChars;
  return {
    contents: [
      {
        uri,
        mimeType: "text/plain",
        text,
        _meta: {
          untrusted: true,
          contentHash,
          charStart: from,
          charEnd: from + text.length,
          totalChars: window.totalChars,
          ...(isMore && { next: `${conceptUri(baseId, conceptId)}?from=${at}` }),
        },
      },
    ],
  };
}
