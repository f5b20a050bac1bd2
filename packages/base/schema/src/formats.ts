import { faultsOfDnsLabel, faultsOfDnsSubdomain, parseDurationNanos } from "@trivium/std";
import { parseCidr, parseIp } from "./net/ip.ts";
import { parseGoUrl } from "./net/url.ts";

/**
 * The string formats a real server checks; every other `format` is only documentation.
 * Each is as strict and as lax as upstream, which is at times laxer than the standard it is named after.
 */
const checks: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  uri: (text) => parseGoUrl(text) !== undefined,
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => text.includes(".") && parseIp(text, "sloppy") !== undefined,
  ipv6: (text) => text.includes(":") && parseIp(text) !== undefined,
  cidr: (text) => parseCidr(text, "sloppy") !== undefined,
  mac: isMac,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: isRgbColor,
  byte: isBase64,
  password: () => true,
  date: isDate,
  duration: isLooseDuration,
  datetime: isDateTime,
  k8sshortname: (text) => faultsOfDnsLabel(text).length === 0,
  k8slongname: (text) => faultsOfDnsSubdomain(text).length === 0,
};

/** The check of a string format, or undefined where the format means nothing to the server. */
export function formatCheck(format: string | undefined): ((text: string) => boolean) | undefined {
  if (format === undefined) return undefined;
  const name = format.replaceAll("-", "");
  return Object.hasOwn(checks, name) ? checks[name] : undefined;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

export function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t");
  const match = /^(\d\d):(\d\d):(\d\d)(.\d+)?(z|[+-]\d\d:\d\d)$/.exec(time);
  if (!match || !isDate(date)) return false;
  return Number(match[1]) < 24 && Number(match[2]) < 60 && Number(match[3]) < 60;
}

const looseUnits = /^(ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

/** Go's durations, or words as in `3 days`. */
function isLooseDuration(text: string): boolean {
  if (parseDurationNanos(text) !== undefined) return true;
  // The search below goes back and forth over long rows of digits; nobody writes a duration that long.
  if (text.length > 256) return false;
  return [...text.matchAll(/\d+\s*([A-Za-zµ]+)/g)].some((match) => looseUnits.test(match[1] as string));
}

function isEmail(text: string): boolean {
  const address = /^[^<>]*<([^<>]+)>$/.exec(text.trim())?.[1] ?? text.trim();
  const atom =
    /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+(\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+)*$/u;
  const at = address.lastIndexOf("@");
  if (at < 1) return false;
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  const isQuoted = /^"([^"\\]|\\.)+"$/.test(local);
  return (isQuoted || atom.test(local)) && (atom.test(domain) || /^\[[^\][]+\]$/.test(domain));
}

/** Labels of letters, digits and symbols; a name of more than one label ends in letters. */
function isHostname(text: string): boolean {
  if (new TextEncoder().encode(text).length > 255) return false;
  const labels = text.split(".");
  if (labels.some((label) => new TextEncoder().encode(label).length > 63)) return false;
  if (labels.length === 1) return /^[a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u.test(text);
  const last = labels.pop() as string;
  const inner = /^[a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
  return /^\p{L}{2,63}$/u.test(last) && labels.every((label) => inner.test(label));
}

function isMac(text: string): boolean {
  const octets = /^[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2})*)$/.test(text) && (text.length + 1) / 3;
  const words = /^[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4})+$/.test(text) && ((text.length + 1) / 5) * 2;
  return [6, 8, 20].includes(octets || words || 0);
}

const bare = (text: string) => text.replace(/[\s-]+/g, "");

function isIsbn10(text: string): boolean {
  const digits = bare(text);
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = bare(text);
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits.slice(0, 12)].reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3),
    0,
  );
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

const cards =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D+/g, "");
  if (!cards.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return match?.slice(1).every((part) => Number(part) <= 255 && String(Number(part)) === part) ?? false;
}

/** Standard alphabet with padding; the empty text is not base64 to upstream. */
function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
