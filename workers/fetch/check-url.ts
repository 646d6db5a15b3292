import { isIP } from "node:net";
import { isAllowed, reachOf } from "./address.ts";
import type { FetchRules } from "./contract.ts";
import { FetchProblem } from "./fetch-problem.ts";

const MAX_LENGTH = 4096;
const DEFAULT_PORTS: readonly number[] = [80, 443];
/** Names that only a local network gives an answer for. */
const localSuffixes = [
  ".local",
  ".internal",
  ".localhost",
  ".lan",
  ".home.arpa",
  ".intranet",
  ".corp",
  ".home",
];

export type UrlRules = Pick<FetchRules, "allowPrivate" | "ports">;

/**
 * A URL in its canonical form, without a fragment: numbers for hosts in any spelling are IP addresses by then.
 * @throws FetchProblem refused for what may not be fetched.
 */
export function checkUrl(text: string, rules: UrlRules, base?: URL): URL {
  const url = parse(text.trim(), base);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    refuse(`only http and https are fetched, not ${url.protocol.slice(0, 40)}`);
  if (url.username !== "" || url.password !== "")
    refuse(
      "a URL with a user name or password in it is not fetched; headers of a host stand in the configuration",
    );
  url.hash = "";
  url.hostname = url.hostname.replace(/\.$/, "");
  checkPort(url, rules);
  checkHost(hostOf(url), rules);
  return url;
}

/** The host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

function parse(text: string, base: URL | undefined): URL {
  if (text.length > MAX_LENGTH) refuse(`the URL has more than ${MAX_LENGTH} characters`);
  // The parser would drop these without a word.
  if (/[\p{Cc}\p{Cs}]/u.test(text)) refuse("the URL has control characters in it");
  const known = base === undefined ? URL.canParse(text) : URL.canParse(text, base);
  if (!known) refuse("it is no URL: a whole one is needed, such as https://example.org/page");
  return new URL(text, base);
}

function checkPort({ port }: URL, { ports }: UrlRules): void {
  if (port === "") return;
  const number = Number(port);
  if (DEFAULT_PORTS.includes(number) || ports.includes(number)) return;
  refuse(`port ${port} is not allowed: snapshot.ports lists those beside 80 and 443`);
}

function checkHost(host: string, { allowPrivate }: UrlRules): void {
  if (isIP(host) !== 0) {
    if (!isAllowed(host, allowPrivate)) refuseAddress(host, host);
    return;
  }
  if (host === "" || host.endsWith(".") || host.includes("..")) refuse("the URL has no usable host name");
  const isLocal = !host.includes(".") || localSuffixes.some((suffix) => host.endsWith(suffix));
  if (isLocal && !allowPrivate)
    refuse(`${host} is a name of a local network; such hosts are fetched only with allowPrivate`);
}

/** @throws FetchProblem that says why this address of the host is not connected to. */
export function refuseAddress(host: string, address: string): never {
  const of = host === address ? address : `${host} leads to ${address}, which`;
  if (reachOf(address) === "private")
    refuse(
      `${of} is an address of this machine or of a private network; such are fetched only with allowPrivate`,
    );
  return refuse(`${of} is no address of the public internet`);
}

function refuse(reason: string): never {
  throw new FetchProblem("refused", reason);
}
