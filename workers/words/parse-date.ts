/** How people may write one. */
export const DATES =
  "2026, 2026-03, 2026-03-01, 2026-03-01T12:00Z, today, yesterday, 7d, 2w, 3m, 1y, last-week, last-month or last-year";

const MAX_YEARS = 9999;

const calendar = /^(\d{4})(?:([-/.])(\d{1,2})(?:\2(\d{1,2}))?)?$/;
const moment = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;
const ago = /^(\d{1,4})([dwmy])$/;

/**
 * A point in time as people write it → milliseconds since 1970, or null for what is none: 2026, 2026-03, 2026-03-01, a full
 * ISO time, today, yesterday, 7d, 2w, 3m, 1y, this-week, last-month. A day, month or year is its first moment, in the local
 * time zone of this process; a week begins on Monday; so many days, weeks, months or years ago is the beginning of that day.
 */
export function parseDate(value: string, now: Date): number | null {
  const name = value.trim().toLowerCase().replace(/\s+/g, "-");
  const relative = ago.exec(name);
  if (relative) return daysAgo(now, Number(relative[1]), relative[2]!);
  return named(name, now) ?? onCalendar(name) ?? inTime(value.trim());
}

function daysAgo(now: Date, amount: number, unit: string): number {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  if (unit === "d") return startOf(year, month, day - amount);
  if (unit === "w") return startOf(year, month, day - 7 * amount);
  const months = unit === "m" ? amount : 12 * amount;
  // Three months before the 31st of May is the last of February.
  const lastDay = new Date(year, month - months + 1, 0).getDate();
  return startOf(year, month - months, Math.min(day, lastDay));
}

function named(name: string, now: Date): number | null {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const monday = day - ((now.getDay() + 6) % 7);
  switch (name) {
    case "today":
      return startOf(year, month, day);
    case "yesterday":
      return startOf(year, month, day - 1);
    case "this-week":
      return startOf(year, month, monday);
    case "last-week":
      return startOf(year, month, monday - 7);
    case "this-month":
      return startOf(year, month, 1);
    case "last-month":
      return startOf(year, month - 1, 1);
    case "this-year":
      return startOf(year, 0, 1);
    case "last-year":
      return startOf(year - 1, 0, 1);
    default:
      return null;
  }
}

function onCalendar(name: string): number | null {
  const found = calendar.exec(name);
  if (!found) return null;
  const [year, month, day] = [Number(found[1]), Number(found[3] ?? 1), Number(found[4] ?? 1)];
  return isDay(year, month, day) ? startOf(year, month - 1, day) : null;
}

function inTime(value: string): number | null {
  const found = moment.exec(value);
  if (!found || !isDay(Number(found[1]), Number(found[2]), Number(found[3]))) return null;
  const time = Date.parse(value.toUpperCase());
  return Number.isNaN(time) ? null : time;
}

function isDay(year: number, month: number, day: number): boolean {
  if (year < 1 || year > MAX_YEARS || month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

/** Local midnight; parts beyond their range roll over. */
function startOf(year: number, month: number, day: number): number {
  const date = new Date(2000, 0, 1);
  // The constructor takes the years 0 to 99 for those of the last century.
  date.setFullYear(year, month, day);
  return date.getTime();
}
