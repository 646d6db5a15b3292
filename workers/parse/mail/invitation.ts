const MAX_LENGTH = 1024 * 1024;
const MAX_VALUE_LENGTH = 300;
const shown: Readonly<Record<string, string>> = {
  DTSTART: "Start",
  DTEND: "End",
  DUE: "Due",
  LOCATION: "Location",
};

/** When and where, as the calendar of an invitation has it: names for people and values. */
export function invitationDetails(calendar: string): (readonly [string, string])[] {
  const details = new Map<string, string>();
  let inside = false;
  for (const line of calendar
    .slice(0, MAX_LENGTH)
    .replaceAll(/\r?\n[ \t]/g, "")
    .split("\n")) {
    const colon = valueStart(line);
    const name = /^[A-Za-z-]{1,40}/.exec(line)?.[0].toUpperCase() ?? "";
    const value = line.slice(colon + 1).trim();
    if (name === "BEGIN" && /^(?:vevent|vtodo)$/i.test(value)) inside = true;
    else if (name === "BEGIN" || name === "END") inside = false;
    const called = inside && colon !== -1 && Object.hasOwn(shown, name) ? shown[name] : undefined;
    if (called === undefined || details.has(called)) continue;
    const text =
      name.startsWith("DT") || name === "DUE" ? timeText(line.slice(0, colon), value) : plain(value);
    if (text !== "") details.set(called, text);
  }
  return [...details];
}

/** The colon that ends a property's name and parameters: those in quotes may hold others. */
function valueStart(line: string): number {
  let quoted = false;
  for (let at = 0; at < line.length && at < 1000; at++) {
    if (line[at] === '"') quoted = !quoted;
    else if (line[at] === ":" && !quoted) return at;
  }
  return -1;
}

/** "2024-03-12 10:00 UTC", or with the zone that the calendar names; another form stays as it is. */
function timeText(head: string, value: string): string {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z)?)?$/.exec(value) ?? [];
  if (year === undefined) return plain(value);
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  const [, quoted, bare] = /;TZID=(?:"([^"]{1,100})"|([^;:"]{1,100}))/i.exec(head) ?? [];
  const zone = quoted ?? bare;
  return `${date} ${hour}:${minute}${utc === undefined ? (zone === undefined ? "" : ` ${zone}`) : " UTC"}`;
}

function plain(value: string): string {
  const text = value
    .slice(0, MAX_VALUE_LENGTH)
    .replaceAll(/\\([nN,;\\])/g, (_, sign: string) => (/n/i.test(sign) ? " " : sign));
  return text.replaceAll(/\s+/g, " ").trim();
}
