import { SelectorError } from "./selector-error.ts";

/** Terms over fields of an object, all of which must hold: `metadata.name=a,status.phase!=Running`. */
export interface FieldSelector {
  readonly terms: readonly FieldTerm[];
}

export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

export function parseFieldSelector(text: string): FieldSelector {
  // A term that names no field asks for nothing.
  return {
    terms: splitTerms(text)
      .map((term) => parseTerm(term, text))
      .filter(({ field }) => field !== ""),
  };
}

/** Whether all terms hold. A field that is not there reads as the empty text, as on a real server. */
export function matchesFields(selector: FieldSelector, read: (field: string) => string | undefined): boolean {
  return selector.terms.every(({ field, operator, value }) => ((read(field) ?? "") === value) === (operator === "="));
}

/** The value that a selector pins a field to, if it does: a list by name need not look at anything else. */
export function exactValueOf(selector: FieldSelector, field: string): string | undefined {
  return selector.terms.find((term) => term.field === field && term.operator === "=")?.value;
}

export function formatFieldSelector(selector: FieldSelector): string {
  return selector.terms.map((term) => `${term.field}${term.operator}${escapeValue(term.value)}`).join(",");
}

const escapeValue = (value: string) => value.replace(/[\\,=]/g, "\\$&");

/** Commas part terms, except after a backslash. Sorted, so that of many faults the same one is told as by a real server. */
const splitTerms = (text: string): string[] => (text.match(/(?:\\[\s\S]|[^,\\]|\\$)+/g) ?? []).sort();

function parseTerm(term: string, whole: string): FieldTerm {
  const parts = /^([\s\S]*?)(!=|==|=)([\s\S]*)$/.exec(term);
  if (parts === null) throw new SelectorError(`invalid selector: '${whole}'; can't understand '${term}'`);
  const [, field = "", operator, value = ""] = parts;
  return { field, operator: operator === "!=" ? "!=" : "=", value: unescapeValue(value) };
}

function unescapeValue(value: string): string {
  return value.replace(/\\([\s\S]?)|[,=]/gu, (found, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${found.codePointAt(0)}`);
    }
    if (escaped === "" || !"\\,=".includes(escaped)) {
      throw new SelectorError(`invalid field selector: invalid escape sequence: ${found}`);
    }
    return escaped;
  });
}
