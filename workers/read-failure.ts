import type { ReadOutcome } from "./contract.ts";
import { ReadProblem } from "./parse/reader.ts";

/** What is no ReadProblem is a reader that met something its author did not think of: these bytes will do it again. */
export function readFailureOf(
  error: unknown,
): Pick<ReadOutcome & { kind: "failed" }, "failure" | "message" | "permanent"> {
  if (error instanceof ReadProblem) {
    return { failure: error.failure, message: error.message, permanent: error.permanent };
  }
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    failure: "parser_error",
    message: `The reader of this format failed (${reason}).`,
    permanent: true,
  };
}
