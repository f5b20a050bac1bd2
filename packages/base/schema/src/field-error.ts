import type { Json } from "@trivium/std";

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
  /** The value found; left out for Required, Forbidden and TooMany, where the value is not part of the message. */
  readonly value?: Json | undefined;
  /** For NotSupported: what would be. */
  readonly supported?: readonly string[];
}
