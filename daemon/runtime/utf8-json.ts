/**
 * JSON text as its bytes in UTF-8, a character for each: what was encoded once goes from the search host to a socket as it
 * is, as workers/search/utf8-json.ts makes it.
 */
export function toUtf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

export function readUtf8Json(json: string): unknown {
  return JSON.parse(Buffer.from(json, "latin1").toString());
}
