/** The longest wait that a server is believed: beyond it the header is more likely wrong than meant. */
const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

/** A Retry-After header (seconds, or an HTTP date) as milliseconds from `nowMs`. Null for none, or for one that says nothing. */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (text === "") return null;
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? null : Math.min(MAX_WAIT_MS, Math.max(0, Math.ceil(waitMs)));
}
