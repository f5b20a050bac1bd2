import type { Status } from "@trivium/kube";

/** One thing that a server has against an object. */
export interface Fault {
  readonly field?: string;
  readonly message: string;
}

/** What a refusal says, field by field: from its causes where it has some, else from its sentence. */
export function faultsOfStatus(status: Status): Fault[] {
  const message = status.message ?? "refused without a word";
  const causes = status.details?.causes ?? [];
  if (causes.length > 0) return causes.map((cause) => withField(cause.field, cause.message ?? message));
  const decoding = /strict decoding error: (.*)$/s.exec(message)?.[1];
  if (decoding !== undefined) return faultsOfDecoding(decoding);
  const undeclared = /(?:^|\s)(\.[^\s:]+): (field not declared in schema|expected .*)$/s.exec(message);
  if (undeclared !== null) return [withField(undeclared[1]?.slice(1), undeclared[2] ?? message)];
  return [{ message }];
}

/** `unknown field "spec.a", duplicate field "spec.b", …`: a sentence that lists, where names may hold commas. */
function faultsOfDecoding(sentence: string): Fault[] {
  const parts = [...sentence.matchAll(/(unknown field|duplicate field|[^,"]+) "((?:[^"\\]|\\.)*)"[^,]*/g)];
  if (parts.length === 0) return [{ message: sentence }];
  return parts.map(([, what = "", field]) => withField(field, what.trim()));
}

const withField = (field: string | undefined, message: string): Fault =>
  field === undefined || field === "" || field === "<nil>" ? { message } : { field, message };
