import { isIP } from "node:net";
import { reachOf } from "./address.ts";
import { hostOf } from "./check-url.ts";
import type { FetchRules, Validators } from "./contract.ts";
import { ACCEPTED_CODINGS } from "./read-body.ts";

const ACCEPT =
  "text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain;q=0.9, */*;q=0.1";

/**
 * What one request carries. What is configured for a host goes to that host alone, so that a redirect takes no cookie and no
 * key along; validators go to the address that gave them.
 */
export function requestHeaders(
  url: URL,
  { userAgent, hosts }: Pick<FetchRules, "userAgent" | "hosts">,
  validators: Validators | null,
): Record<string, string> {
  const headers: Record<string, string> = {
    accept: ACCEPT,
    "accept-encoding": ACCEPTED_CODINGS,
    "user-agent": userAgent,
  };
  for (const own of hosts) {
    if (own.host !== hostOf(url)) continue;
    if (own.userAgent !== null) headers["user-agent"] = own.userAgent;
    if (own.plainHttp || isConfidential(url))
      for (const [name, value] of own.headers) headers[name.toLowerCase()] = value;
  }
  if (validators?.url === url.href) {
    if (validators.etag !== null) headers["if-none-match"] = validators.etag;
    if (validators.lastModified !== null) headers["if-modified-since"] = validators.lastModified;
  }
  return headers;
}

/** Nobody on the way can read along. */
function isConfidential(url: URL): boolean {
  if (url.protocol === "https:") return true;
  const host = hostOf(url);
  return isIP(host) !== 0 && /^(?:127\.|::1$)/.test(host) && reachOf(host) === "private";
}
