import type { ReadFailure } from "../contract.ts";
import { displayPath } from "../path-bytes.ts";
import { ReadProblem } from "./reader.ts";

interface Meaning {
  readonly failure: ReadFailure;
  readonly permanent: boolean;
  readonly message: (path: string) => string;
}

const gone: Meaning = { failure: "gone", permanent: false, message: () => "The file is no longer there." };
const permission: Meaning = {
  failure: "permission",
  permanent: false,
  message: (path) =>
    `Reading is not permitted. Allow it to the user that knowd runs as, for example: chmod u+r '${path.replaceAll("'", String.raw`'\''`)}'`,
};
const link: Meaning = {
  failure: "not_regular",
  permanent: true,
  message: () => "It is a symbolic link; links are not followed out of a watched folder.",
};
const special: Meaning = {
  failure: "not_regular",
  permanent: true,
  message: () => "It is a socket or a device, not a regular file.",
};

/** ELOOP: O_NOFOLLOW met a link. ENXIO, EOPNOTSUPP: a socket. ENODEV: a device without a driver. */
const meanings: Readonly<Record<string, Meaning>> = {
  ENOENT: gone,
  ENOTDIR: gone,
  EACCES: permission,
  EPERM: permission,
  ELOOP: link,
  EMLINK: link,
  ENXIO: special,
  EOPNOTSUPP: special,
  ENODEV: special,
};

/** What a failed system call says about a file; what is not known is `io` and tried again. */
export function systemProblem(error: unknown, path: string): ReadProblem {
  const code =
    error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
  if (code === null) throw error;
  const meaning = meanings[code];
  if (meaning === undefined) {
    const message = `Reading failed (${code}: ${error instanceof Error ? error.message : "unknown"}). It is tried again.`;
    return new ReadProblem("io", message, false);
  }
  return new ReadProblem(meaning.failure, meaning.message(displayPath(path)), meaning.permanent);
}
