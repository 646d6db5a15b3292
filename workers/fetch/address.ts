import ipaddr from "ipaddr.js";

type Reach = "public" | "private" | "never";

/** What a person may allow: this machine and the networks around it. */
const privateRanges: ReadonlySet<string> = new Set([
  "loopback",
  "private",
  "linkLocal",
  "carrierGradeNat",
  "uniqueLocal",
]);

/** The block that the registries give public IPv6 addresses from. */
const PUBLIC_V6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Where an IP address leads. An IPv4 address in an IPv6 one is looked at as itself; what else carries one (NAT64, 6to4,
 * Teredo), and multicast, broadcast, documentation and reserved ones, are fetched from never.
 */
export function reachOf(address: string): Reach {
  const literal = withoutZone(address);
  if (!ipaddr.isValid(literal)) return "never";
  const parsed = ipaddr.process(literal);
  const range = parsed.range();
  if (privateRanges.has(range)) return "private";
  if (range !== "unicast") return "never";
  const isPublic = parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(PUBLIC_V6);
  return isPublic ? "public" : "never";
}

export function isAllowed(address: string, allowPrivate: boolean): boolean {
  const reach = reachOf(address);
  return reach === "public" || (reach === "private" && allowPrivate);
}

function withoutZone(address: string): string {
  const at = address.indexOf("%");
  return at === -1 ? address : address.slice(0, at);
}
