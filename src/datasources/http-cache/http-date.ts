import type { Seconds, Milliseconds } from '../cache/key-value-cache.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

// The three formats of RFC 9110 section 5.6.7, and no other of the many that Date.parse accepts.
const formats = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/** Parses an HTTP date; undefined if it is invalid. */
export function parseHTTPDate(text: string | undefined, now: Milliseconds): Milliseconds | undefined {
  if (text === undefined) return undefined;
  for (const format of formats) {
    const groups = format.exec(text)?.groups;
    if (groups !== undefined) return toTime(groups, now);
  }
  return undefined;
}

function toTime({ day, month, year, time }: Record<string, string>, now: Milliseconds): Milliseconds | undefined {
  const [hours, minutes, seconds] = time!.split(':').map(Number) as [number, number, number];
  const fullYear = year!.length === 2 ? toFullYear(Number(year), now) : Number(year);
  const midnight = Date.UTC(fullYear, months.indexOf(month!), Number(day));
  // Date.UTC takes the 31st of February for the 3rd of March. A 60th second is a leap second.
  const isReal = months.includes(month!) && new Date(midnight).getUTCDate() === Number(day) && hours < 24 && minutes < 60 && seconds <= 60;
  return isReal ? midnight + ((hours * 60 + minutes) * 60 + seconds) * 1000 : undefined;
}

/** Two digits that would be more than 50 years ahead are of the last century. */
function toFullYear(twoDigits: number, now: Milliseconds): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

/** RFC 9111 section 1.2.2: larger numbers count as this. */
const maxAge: Seconds = 2 ** 31;

/** Parses an Age field: the first of several values; an invalid one is ignored (RFC 9111 section 5.1). */
export function parseAge(field: string | undefined): Seconds {
  const first = field?.split(',', 1)[0]!.trim();
  return first !== undefined && /^\d+$/.test(first) ? Math.min(Number(first), maxAge) : 0;
}
