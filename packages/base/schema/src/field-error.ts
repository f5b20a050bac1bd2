import type { Json } from "@trivium/std";
import { assertNever } from "@trivium/std";
import { formatGoJson, formatGoNumber, quoteGo } from "./go-text.ts";

/** One fault of an object, at one field, in the words and kinds that a kube-apiserver uses (`field.Error`). */
export interface FieldError {
  readonly reason:
    | "FieldValueInvalid"
    | "FieldValueRequired"
    | "FieldValueNotSupported"
    | "FieldValueDuplicate"
    | "FieldValueForbidden"
    | "FieldValueTooLong"
    | "FieldValueTooMany"
    | "FieldValueNotFound"
    | "FieldValueTypeInvalid"
    | "InternalError";
  /** Dotted path with indices and quoted keys: `spec.env[2].name`, `metadata.labels[a/b]`; `<nil>` for the whole object. */
  readonly field: string;
  readonly detail: string;
  /** The value found; left out for Required, Forbidden and TooLong, where it is not part of the message. For TooMany: how many. */
  readonly value?: Json | undefined;
  /** For NotSupported: what would be. */
  readonly supported?: readonly string[];
}

/** Exactly what Go's `field.Error.Error()` prints: `spec.x: Invalid value: 3: detail`. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${formatFieldErrorBody(error)}`;
}

/** The same without the field: the `message` of a cause in a Status. */
export function formatFieldErrorBody(error: FieldError): string {
  const detail = error.detail === "" ? supportedText(error.supported) : error.detail;
  const head = `${wordsOf(error.reason)}${valueText(error)}`;
  return detail === "" ? head : `${head}: ${detail}`;
}

function wordsOf(reason: FieldError["reason"]): string {
  switch (reason) {
    case "FieldValueInvalid":
    case "FieldValueTypeInvalid":
      return "Invalid value";
    case "FieldValueRequired":
      return "Required value";
    case "FieldValueNotSupported":
      return "Unsupported value";
    case "FieldValueDuplicate":
      return "Duplicate value";
    case "FieldValueForbidden":
      return "Forbidden";
    case "FieldValueTooLong":
      return "Too long";
    case "FieldValueTooMany":
      return "Too many";
    case "FieldValueNotFound":
      return "Not found";
    case "InternalError":
      return "Internal error";
    default:
      return assertNever(reason);
  }
}

const withoutValue: ReadonlySet<FieldError["reason"]> = new Set<FieldError["reason"]>([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
  "InternalError",
]);

function valueText({ reason, value }: FieldError): string {
  if (value === undefined || withoutValue.has(reason)) return "";
  if (typeof value === "number") return `: ${formatGoNumber(value)}`;
  if (typeof value === "string") return `: ${quoteGo(cut(value))}`;
  return `: ${structureText(value)}`;
}

/** Characters of a value that an error shows. A value may be a whole object of megabytes. */
const longestValue = 16 * 1024;

const cut = (text: string): string => (text.length > longestValue ? `${text.slice(0, longestValue)}...` : text);

const structureTexts = new WeakMap<object, string>();

/** Many errors may be about one list; it is written once. */
function structureText(value: Exclude<FieldError["value"], undefined>): string {
  if (typeof value !== "object" || value === null) return formatGoJson(value);
  let text = structureTexts.get(value);
  if (text === undefined) {
    text = cut(formatGoJson(value));
    structureTexts.set(value, text);
  }
  return text;
}

function supportedText(supported: readonly string[] | undefined): string {
  if (supported === undefined || supported.length === 0) return "";
  return `supported values: ${supported.map(quoteGo).join(", ")}`;
}

export const invalid = (field: string, value: Json, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  value,
  detail,
});
export const typeInvalid = (field: string, value: Json, detail: string): FieldError => ({
  reason: "FieldValueTypeInvalid",
  field,
  value,
  detail,
});
export const required = (field: string, detail = ""): FieldError => ({ reason: "FieldValueRequired", field, detail });
export const forbidden = (field: string, detail: string): FieldError => ({
  reason: "FieldValueForbidden",
  field,
  detail,
});
export const duplicate = (field: string, value: Json): FieldError => ({
  reason: "FieldValueDuplicate",
  field,
  value,
  detail: "",
});
export const notSupported = (field: string, value: Json, supported: readonly string[]): FieldError => ({
  reason: "FieldValueNotSupported",
  field,
  value,
  detail: supportedText(supported),
  supported,
});
export const tooMany = (field: string, count: number, most: number): FieldError => ({
  reason: "FieldValueTooMany",
  field,
  value: count,
  detail: `must have at most ${most} ${most === 1 ? "item" : "items"}`,
});
export const tooLong = (field: string, most: number): FieldError => ({
  reason: "FieldValueTooLong",
  field,
  detail: `may not be more than ${most} ${most === 1 ? "byte" : "bytes"}`,
});
