import { setImmediate } from "node:timers/promises";

/** Names of the library's own errors. */
const ownNames =
  /^(?:\w*Exception|FormatError|AbortError|MissingDataException|XRef\w+|ParserEOFException|Jbig2Error|JpxError|JpegError)$/;

/**
 * Runs `use` while promises that the library rejects and nobody waits for are let go: it fetches pages ahead, and a
 * damaged one that is not asked for would end the thread. Rejections that are not the library's end it as ever.
 */
export async function withoutStrays<T>(use: () => Promise<T>): Promise<T> {
  const letGo = (reason: unknown): void => {
    if (!isOwn(reason)) throw reason;
  };
  process.on("unhandledRejection", letGo);
  try {
    return await use();
  } finally {
    // Rejections are reported when the event loop turns.
    await setImmediate();
    process.off("unhandledRejection", letGo);
  }
}

function isOwn(reason: unknown): boolean {
  return (
    typeof reason === "object" &&
    reason !== null &&
    "name" in reason &&
    typeof reason.name === "string" &&
    ownNames.test(reason.name)
  );
}
