/** The five fields of a cron schedule: name in messages, bounds, and names for numbers. */
const fields: readonly { low: number; high: number; names?: readonly string[] }[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"] },
  { low: 0, high: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];
const shorthands = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);

/** What is wrong with a cron schedule, in the words of the real server. */
export function faultOfSchedule(schedule: string): string | undefined {
  const zone = /^(?:CRON_)?TZ=(\S+)\s/.exec(schedule)?.[1];
  if (zone !== undefined && !isZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`;
  const text = schedule.replace(/^(CRON_)?TZ=\S+\s+/, "");
  if (text.startsWith("@")) return faultOfShorthand(text);
  const parts = text
    .trim()
    .split(/\s+/)
    .filter((part) => part !== "");
  if (parts.length !== 5) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
  for (const [index, part] of parts.entries()) {
    for (const range of part.split(",")) {
      const fault = faultOfRange(range, fields[index] ?? { low: 0, high: 0 });
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function faultOfShorthand(text: string): string | undefined {
  if (shorthands.has(text) || /^@every \d/.test(text)) return undefined;
  return `unrecognized descriptor: ${text}`;
}

function faultOfRange(range: string, { low, high, names }: (typeof fields)[number]): string | undefined {
  const [span = "", step, ...rest] = range.split("/");
  if (rest.length > 0) return `too many slashes: ${range}`;
  const [from = "", to, ...others] = span.split("-");
  if (others.length > 0) return `too many hyphens: ${range}`;
  const isAny = from === "*" || from === "?";
  const numbers = [...(isAny ? [] : [from]), ...(to === undefined ? [] : [to]), ...(step === undefined ? [] : [step])];
  for (const word of numbers) {
    if (numberOf(word, low, names) === undefined)
      return `failed to parse int from ${word}: strconv.Atoi: parsing "${word}": invalid syntax`;
  }
  const start = isAny ? low : (numberOf(from, low, names) ?? low);
  const end = to === undefined ? (isAny || step !== undefined ? high : start) : (numberOf(to, low, names) ?? start);
  if (start < low) return `beginning of range (${start}) below minimum (${low}): ${range}`;
  if (end > high) return `end of range (${end}) above maximum (${high}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return step !== undefined && Number(step) === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

function numberOf(word: string, low: number, names: readonly string[] = []): number | undefined {
  const named = names.indexOf(word.toLowerCase());
  if (named >= 0) return named + low;
  return /^\d+$/.test(word) ? Number(word) : undefined;
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
