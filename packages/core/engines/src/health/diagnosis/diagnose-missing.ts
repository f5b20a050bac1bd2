import type { Diagnosis } from "@trivium/domain";

export interface MissingObjects {
  readonly kind: string;
  readonly names: readonly string[];
  /** Where they were looked for: `this namespace`, `the cluster`. */
  readonly where?: string | undefined;
  /** What needs them: `environment variables of the container`. */
  readonly neededBy?: string | undefined;
  /** What else can be done: `mark the variables as optional`, `change spec.model`. */
  readonly instead?: string | undefined;
}

/** Objects that are referred to and do not exist. */
export function diagnoseMissing({ kind, names, where, neededBy, instead }: MissingObjects): Diagnosis {
  const them = names.length > 1 ? "them" : "it";
  const subject = `${names.length > 1 ? `${kind}s` : kind} ${names.join(", ")}`;
  const place = where === undefined ? "" : ` in ${where}`;
  const need = neededBy === undefined ? "" : `, but ${neededBy} need ${them}`;
  return {
    subject,
    cause: `${subject} not found${place}${need}`,
    remedy: `create ${them}${instead === undefined ? "" : `, or ${instead}`}`,
  };
}
