/** A window of a document, in UTF-16 units. */
export interface Concept {
  readonly baseId: string;
  readonly conceptId: string;
  readonly from: number;
  readonly to: number | null;
}

const SCHEME = "knowd://";

export const conceptTemplate = `${SCHEME}{baseId}/{+conceptId}{?from,to}`;

/** `knowd://<baseId>/<conceptId>`, each segment of the path percent-encoded. */
export function conceptUri(baseId: string, conceptId: string): string {
  return `${SCHEME}${baseId}/${conceptId.split("/").map(encode).join("/")}`;
}

/** Half a surrogate pair has no UTF-8, and must not keep all the others from being listed. */
const encode = (segment: string): string => encodeURIComponent(Buffer.from(segment, "utf8").toString("utf8"));

/** Null for what is no such URI. */
export function parseConceptUri(uri: string): Concept | null {
  if (!uri.startsWith(SCHEME)) return null;
  const [address = "", query, ...more] = uri.slice(SCHEME.length).split("?");
  const slash = address.indexOf("/");
  if (slash <= 0 || more.length > 0 || address.includes("#")) return null;
  const conceptId = decode(address.slice(slash + 1));
  const window = windowOf(new URLSearchParams(query));
  if (conceptId === null || conceptId === "" || window === null) return null;
  return { baseId: address.slice(0, slash), conceptId, ...window };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded UTF-8, so nothing that was listed.
    return null;
  }
}

function windowOf(query: URLSearchParams): { from: number; to: number | null } | null {
  const from = numberOf(query.get("from") ?? "0");
  const to = query.get("to");
  const end = to === null ? null : numberOf(to);
  if (from === null || (to !== null && (end === null || end < from))) return null;
  return [...query.keys()].every((key) => key === "from" || key === "to") ? { from, to: end } : null;
}

const numberOf = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null);
