import { isSecretName } from "./names.ts";

/** Stands for a credential. */
export const redacted = "redacted";

/** Words are no credentials: one has a digit, or is longer than words are. */
const looksRandom = (text: string): boolean => text.length >= 20 || (text.length >= 6 && /\d/.test(text));

/** Two searches: one expression for both takes quadratic time on a long row of digits. */
function hasLetterAfterDigit(text: string): boolean {
  const digit = text.search(/\d/);
  return digit >= 0 && /[A-Za-z]/.test(text.slice(digit));
}

/** Letters in an order of capitals that no name has, or with digits in between: not `hf_transfer`, not `hf_model2`. */
const looksScrambled = (text: string): boolean => hasLetterAfterDigit(text) || /[a-z][A-Z].*[A-Z]/.test(text);
/** Not a number alone: that is a token of a text. */
const looksMixed = (text: string): boolean => looksScrambled(text) || (/\d/.test(text) && /[A-Za-z]/.test(text));

/** Credentials by their form, wherever they are written: all of the match, or its group `s`. */
interface Form {
  readonly form: RegExp;
  /** Where ordinary words have the form, too: what a credential looks like. */
  readonly only?: (text: string) => boolean;
}

const gap = String.raw`(?:\s|\\[nr])+`;
const forms: readonly Form[] = [
  { form: /(?<![A-Za-z0-9])(?:hf|api_org)_[A-Za-z0-9]{30,}/g },
  // A part of one, or one of a mirror of the hub.
  { form: /(?<![A-Za-z0-9])hf_(?<s>[A-Za-z0-9]{6,29})(?![A-Za-z0-9_])/g, only: looksScrambled },
  { form: /(?<![A-Za-z0-9])(?:sk|pk|rk)-[\w-]{16,}/g },
  { form: /(?<![A-Za-z0-9])(?:gh[pousr]|glpat|github_pat|npm|nvapi|xox[abprs])[-_][\w-]{16,}/g },
  { form: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { form: /(?<![A-Za-z0-9])AIza[\w-]{30,}/g },
  { form: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g },
  { form: /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/g },
  // A private key whose start was cut off: part of a line, whole lines, the last line.
  {
    form: new RegExp(
      `(?<![\\w+/])[\\w+/]{1,100}={0,2}${gap}(?:[\\w+/]{60,100}${gap}){0,90}(?:[\\w+/]{1,100}={0,2}${gap})?-----END [A-Z ]{0,20}PRIVATE KEY-----`,
      "g",
    ),
  },
  // The address of a webhook is all that it takes to post there.
  { form: /\bhooks\.slack\.com\/services\/(?<s>[\w/]{8,})/g },
  { form: /\b(?:Bearer|Basic)\s+(?<s>[\w.~+/=-]{8,})/gi, only: looksRandom },
  // The login of a registry: `{"auths":{"host":{"auth":"x"}}}`.
  { form: /"auth\\*"\s*:\s*\\*"(?<s>[\w+/=]{8,})/g, only: looksRandom },
  // `https://user:p/ss@host`; a number and a path are a port, whatever follows.
  { form: /(?<![\w+.-])[a-z][a-z0-9+.-]*:\/\/[^\s/@:[]{0,80}:(?!\d{1,5}\/)(?<s>[^\s"'`<>?#]{1,256})@/gi },
  { form: /(?<![\w+.-])[a-z][a-z0-9+.-]*:\/\/(?<s>[^\s/@:"'[]{8,256})@/gi, only: looksRandom },
  // `curl -u user:x`; numbers are a user and a group.
  { form: /(?<!\S)(?:-u|--user)[ =]["']?(?!\d+:)[^\s:"']{1,80}:(?<s>[^\s"']+)/g },
  {
    form: /[?&][\w-]*(?:signature|token|secret|password|credential|api[-_]?key|access[-_]?key|session[-_]?id|sid|jwt|auth|sig|key)=(?<s>[^&\s"']+)/gi,
  },
  // `Cookie: id=x; lang=y`, also as a text in quotes and as a pair.
  { form: /\b(?:set-)?cookie\\*["']?\s?[:,=]\s?b?\\*["']?(?<s>[^\s=;"'\\]{1,100}=[^\n"'\\]{4,})/gi },
  // `Invalid token: x`, `Incorrect API key provided: x`, `token 'x' is expired`
  {
    form: /\b(?:invalid|wrong|bad|unknown|incorrect|rejected|expired|revoked)[ \t](?:[a-z]{2,10}[ \t]){0,2}(?:token|password|secret|api[ -]?key|access[ -]?key|credentials?)(?:[ \t][a-z]{2,10})?[ \t]?[:=]?[ \t]?["'`(]?(?<s>[\w~+/=-]{6,})/gi,
    only: looksMixed,
  },
  {
    form: /\b(?:token|password|secret|api[ -]?key|access[ -]?key)[ \t]["'`](?<s>[\w~+/=-]{8,})["'`]/gi,
    only: looksMixed,
  },
];

/** A value in quotes, in those of a text within a text, or a list of such. */
const quoted: readonly RegExp[] = [
  /b?"(?<s>(?:[^"\\\n]|\\.)+)/y,
  /b?'(?<s>(?:[^'\\\n]|\\.)+)/y,
  /\\+["'](?<s>[^"'\\]+)/y,
  /\[\s*b?\\*["'](?<s>[^\]\n]{1,1000}?)\\*["']\s*\]/y,
];
const reference = /(?<s>\$\([^\s()]*\))/y;
/** Punctuation at its end belongs to the sentence around it. */
const bare = /(?<s>[^\s"'&;,\\]*[^\s"'&;,\\:)\]}])/y;
/** Not the next flag, `[API_KEY]` of a usage, or `or`. */
const word = /(?<s>[^\s"'&;,\\<[-][^\s"'&;,\\]{3,})/y;
const restOfLine = /["']?(?<s>[^\s"'#][^\n"']*)/y;

/** What stands before a value whose name is `n`, and how the value may be written. */
interface Pair {
  readonly start: RegExp;
  readonly values: readonly RegExp[];
  /** Sentences have this form, too: not every value is a credential. */
  readonly isSentence?: true;
}

const pairs: readonly Pair[] = [
  // `--api-key=x`
  { start: /(?<![\w.&?-])-{0,2}(?<n>[A-Za-z_][\w.-]*)=/g, values: [...quoted, reference, bare] },
  // `--api-key x`
  { start: /(?<![^\s"'])--?(?<n>\w[\w.-]*)\s+/g, values: [...quoted, reference, word] },
  // `"apiKey": "x"`, also within another JSON text
  { start: /["'](?<n>[\w./-]+)\\*["']\s*:\s*/g, values: quoted },
  // `["--api-key", "x"]` as text
  { start: /["']--?(?<n>\w[\w.-]*)\\*["']\s*,\s*/g, values: quoted },
  // `('authorization', 'x')`
  { start: /\(b?["'](?<n>[\w-]+)["'],\s*/g, values: quoted, isSentence: true },
  // `{"name":"DB_PASS","value":"x"}` as text
  { start: /["']name\\*["']\s*:\s*\\*["'](?<n>[^"'\\]+)\\*["']\s*,\s*\\*["']value\\*["']\s*:\s*/g, values: quoted },
  // `x-api-key: x`, `Authorization: Token x`; any other word before a colon is no name
  {
    start:
      /(?<![\w.-])(?<n>(?=[A-Za-z0-9.]*[-_]|authorization)[\w.-]+):[ \t]+(?:(?:Bearer|Basic|Token|Digest|ApiKey)[ \t]+)?/gi,
    values: [...quoted, reference, bare],
    isSentence: true,
  },
  // `password = x`
  { start: /(?<![\w.-])(?<n>[A-Za-z_][\w.-]*)[ \t]+=[ \t]*/g, values: [...quoted, reference, bare], isSentence: true },
];

/** `token: x` and `password = x` in a file; in the sentences of a status, a word before a colon is no name. */
const setting: Pair = {
  start: /^[ \t]*(?:- |export )?["']?(?<n>[\w./-]+)["']?[ \t]*[:=][ \t]*/gm,
  values: [restOfLine],
};

/** The text without credentials; each is added to `found`. */
export function maskText(text: string, found: Set<string>, isFile = text.includes("\n")): string {
  const masked = forms.reduce((rest, form) => maskForm(rest, form, found), text);
  return (isFile ? [...pairs, setting] : pairs).reduce((rest, pair) => maskPairs(rest, pair, found), masked);
}

const maskForm = (text: string, { form, only }: Form, found: Set<string>): string =>
  text.replace(form, (whole, ...rest) => {
    const groups: unknown = rest.at(-1);
    const secret = typeof groups === "object" ? (groups as { readonly s: string }).s : whole;
    if (only?.(secret) === false) return whole;
    found.add(secret);
    const at = whole.lastIndexOf(secret);
    return `${whole.slice(0, at)}${redacted}${whole.slice(at + secret.length)}`;
  });

/** Enough for the word before a name. */
const wordLength = 12;

function maskPairs(text: string, { start, values, isSentence }: Pair, found: Set<string>): string {
  const parts: string[] = [];
  let done = 0;
  for (const match of text.matchAll(start)) {
    const name = match.groups?.n ?? "";
    if (match.index < done || !isSecretName(name, text.slice(Math.max(0, match.index - wordLength), match.index)))
      continue;
    const value = readValue(text, match.index + match[0].length, values);
    if (value === undefined || isNoValue(value.text) || (isSentence && !looksRandom(value.text))) continue;
    for (const one of value.text.split(/\\*["']\s*,\s*b?\\*["']/)) found.add(one);
    parts.push(text.slice(done, value.at), redacted);
    done = value.at + value.text.length;
  }
  return parts.join("") + text.slice(done);
}

function readValue(text: string, at: number, values: readonly RegExp[]): { at: number; text: string } | undefined {
  for (const value of values) {
    value.lastIndex = at;
    const match = value.exec(text);
    const found = match?.groups?.s;
    if (match && found !== undefined) return { at: at + match[0].lastIndexOf(found), text: found };
  }
  return undefined;
}

/** A variable that refers to another one, or a template, has no value of its own. */
export const isReference = (text: string): boolean => /^\$(?:\([^)]+\)|\{[^}]+\}|[A-Z_]+)$|^\{\{.*\}\}$/.test(text);
const isNoValue = (text: string): boolean =>
  text === redacted || isReference(text) || /^(?:None|null|nil|true|false)$/i.test(text);
