import { ApiError, type Status, type StatusCause, type StatusDetails, type StatusReason } from "@trivium/kube";
import { type FieldError, formatFieldError, formatFieldErrorBody } from "@trivium/schema";
import type { Resource } from "./resource.ts";

/** The answers of an API server that did not do what it was asked, in the words that clients know. */
type Named = Pick<Resource, "group" | "plural">;

export const optimisticLock =
  "the object has been modified; please apply your changes to the latest version and try again";

export function refusal(
  code: number,
  reason: StatusReason | undefined,
  message: string,
  details?: StatusDetails,
): ApiError {
  const status: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message };
  if (reason !== undefined) status.reason = reason;
  if (details !== undefined) status.details = details;
  status.code = code;
  return new ApiError(status);
}

/** `deployments.apps`, or the bare name in the core group. */
export const qualify = (name: string, group: string): string => (group === "" ? name : `${name}.${group}`);

function detailsOf(name: string, group: string, kind: string): StatusDetails {
  const details: StatusDetails = {};
  if (name !== "") details.name = name;
  if (group !== "") details.group = group;
  if (kind !== "") details.kind = kind;
  return details;
}

export function notFound(of: Named, name: string): ApiError {
  const message = `${qualify(of.plural, of.group)} "${name}" not found`;
  return refusal(404, "NotFound", message, detailsOf(name, of.group, of.plural));
}

export const unknownResource = (): ApiError =>
  refusal(404, "NotFound", "the server could not find the requested resource", {});

export function alreadyExists(of: Named, name: string, remark = ""): ApiError {
  const message = `${remark}${qualify(of.plural, of.group)} "${name}" already exists`;
  return refusal(409, "AlreadyExists", message, detailsOf(name, of.group, of.plural));
}

export function conflict(of: Named, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualify(of.plural, of.group)} "${name}": ${why}`;
  return refusal(409, "Conflict", message, detailsOf(name, of.group, of.plural));
}

export function forbidden(of: Named, name: string, why: string, causes?: StatusCause[]): ApiError {
  const subject = qualify(of.plural, of.group);
  const message = name === "" ? `${subject} is forbidden: ${why}` : `${subject} "${name}" is forbidden: ${why}`;
  const details = detailsOf(name, of.group, of.plural);
  return refusal(403, "Forbidden", message, causes === undefined ? details : { ...details, causes });
}

/** Faults that a refusal tells. A body may have a hundred thousand, and an answer longer than the question helps no reader. */
const maxFaults = 100;

/** 422 with one cause for each fault. */
export function invalid(of: { group: string; kind: string }, name: string, faults: readonly FieldError[]): ApiError {
  const shown = faults.slice(0, maxFaults);
  const left = faults.length - shown.length;
  const whole = [...new Set(shown.map(formatFieldError)), ...(left === 0 ? [] : [`and ${left} more errors`])];
  const reported = whole.length === 1 ? whole[0] : `[${whole.join(", ")}]`;
  const message = `${qualify(of.kind, of.group)} "${name}" is invalid: ${reported}`;
  const causes = shown.map(causeOf);
  return refusal(422, "Invalid", message, { ...detailsOf(name, of.group, of.kind), causes });
}

export const causeOf = (fault: FieldError): StatusCause => ({
  reason: fault.reason,
  message: formatFieldErrorBody(fault),
  field: fault.field,
});

export const badRequest = (message: string): ApiError => refusal(400, "BadRequest", message);

/** A body that is not an object of the kind that the path names. */
export class UndecodableError extends ApiError {
  /** What is wrong with it, without the kind: a patch reports it in another form. */
  readonly detail: string;

  constructor({ kind, version, as = kind }: { kind: string; version: string; as?: string }, detail: string) {
    super(badRequest(`${kind} in version "${version}" cannot be handled as a ${as}: ${detail}`).status);
    this.detail = detail;
  }
}

export const methodNotAllowed = (): ApiError =>
  refusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});

/** What custom resources say instead. */
export function verbNotSupported(of: Named, verb: string, why?: string): ApiError {
  const message = why ?? `${verb} is not supported on resources of kind "${qualify(of.plural, of.group)}"`;
  return refusal(405, "MethodNotAllowed", message, detailsOf("", of.group, of.plural));
}

export const notAcceptable = (message: string, details?: StatusDetails): ApiError =>
  refusal(406, "NotAcceptable", message, details);

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return refusal(415, "UnsupportedMediaType", message);
}

export const bodyTooLarge = (message: string): ApiError => refusal(413, "RequestEntityTooLarge", message);

export const expired = (message: string): ApiError => refusal(410, "Expired", message);

export const internal = (message: string): ApiError => refusal(500, "InternalError", message);

export function tooLargeResourceVersion(wanted: number, current: number): ApiError {
  return refusal(504, "Timeout", `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}
