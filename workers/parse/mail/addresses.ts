import type { Address } from "postal-mime";

/** People that are named of a list; the rest is counted. */
const MAX_NAMED = 30;

/** `Name <address>` for each of a header's addresses. */
export async function readAddresses(value: string): Promise<string[]> {
  if (value === "") return [];
  const { addressParser } = await import("postal-mime");
  return addressParser(value).flatMap(namesOf);
}

function namesOf(address: Address): string[] {
  const name = oneLine(address.name);
  if (address.group !== undefined) {
    return address.group.length === 0 ? [name].filter((one) => one !== "") : address.group.flatMap(namesOf);
  }
  const mail = oneLine(address.address);
  if (name === "" || name.toLowerCase() === mail.toLowerCase()) return mail === "" ? [] : [mail];
  return [mail === "" ? name : `${name} <${mail}>`];
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** The addresses of a list on one line. */
export function listAddresses(addresses: readonly string[]): string {
  const named = addresses.slice(0, MAX_NAMED).join(", ");
  const more = addresses.length - MAX_NAMED;
  return more > 0 ? `${named} and ${more} more` : named;
}
