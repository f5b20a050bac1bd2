import type { Diagnosis } from "@trivium/domain";

export interface MissingObjects {
  readonly kind: string;
  readonly names: readonly string[];
  /** Where they were looked for: `this namespace`, `the cluster`. */
  readonly where?: string | undefined;
  /** What does not start without them: `Container server of Pod chat-0`. */
  readonly stops?: string | undefined;
  /** What else can be done: `correct spec.env`, `change spec.model`. */
  readonly instead?: string | undefined;
}

/** Objects that are referred to and do not exist. */
export function diagnoseMissing({ kind, names, where, stops, instead }: MissingObjects): Diagnosis {
  const them = names.length > 1 ? "them" : "it";
  const subject = `${names.length > 1 ? `${kind}s` : kind} ${names.join(", ")}`;
  const place = where === undefined ? "" : ` in ${where}`;
  const head = stops === undefined ? "" : `${stops} cannot start: `;
  return {
    subject,
    cause: `${head}${subject} not found${place}`,
    remedy: `create ${them}${instead === undefined ? "" : `, or ${instead}`}`,
  };
}

export interface MissingFile {
  readonly path: string;
  /** Where it should be: `node a`, `the machine of the operator`. */
  readonly where: string;
  /** Where the user writes the path. */
  readonly field: string;
}

/** A file of weights that should be on a machine already: all dialects look for it again until it is there. */
export const diagnoseMissingFile = ({ path, where, field }: MissingFile): Diagnosis => ({
  subject: path,
  cause: `${path} not found on ${where}`,
  remedy: `create it, or correct ${field}; retrying automatically`,
});
