import type { FieldError } from "@trivium/schema";
import { append } from "@trivium/std";
import type { Call } from "../../call.ts";
import { integerOf } from "../../options.ts";
import { badRequest, invalid } from "../../refusals.ts";
import { isTrue } from "../../request.ts";
import { parseResourceVersion } from "./resource-version.ts";

/** Which state a list or watch asks for. */
export interface VersionOptions {
  /** Undefined when none was given; "0" means any. */
  readonly resourceVersion: number | undefined;
  readonly match: "" | "Exact" | "NotOlderThan";
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

export function versionOptions(call: Call, isWatch: boolean): VersionOptions {
  const { query } = call;
  integerOf(query, "timeoutSeconds");
  const text = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const initial = query.get("sendInitialEvents");
  const request: VersionOptions = {
    resourceVersion: undefined,
    match: match as VersionOptions["match"],
    limit: Math.max(0, integerOf(query, "limit") ?? 0),
    continue: query.get("continue") ?? "",
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
  };
  const faults = isWatch ? watchFaults(request) : listFaults(request, text);
  if (faults.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", faults);
  if (text === "") return request;
  const prefix = isWatch ? "" : "invalid resource version: ";
  return { ...request, resourceVersion: parseResourceVersion(text, (why) => badRequest(`${prefix}${why}`)) };
}

const no = (field: string, detail: string): FieldError => ({ reason: "FieldValueForbidden", field, detail });
const field = "resourceVersionMatch";

function watchFaults({ match, sendInitialEvents }: VersionOptions): FieldError[] {
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    const faults = [no(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")];
    return match === "" ? faults : [...faults, unsupported(match, ["NotOlderThan"])];
  }
  if (match === "" || sendInitialEvents !== undefined) return [];
  return [no(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")];
}

function listFaults(request: VersionOptions, resourceVersion: string): FieldError[] {
  const { match, sendInitialEvents } = request;
  const faults: FieldError[] = [];
  if (match !== "") append(faults, matchFaults(request, resourceVersion));
  if (sendInitialEvents !== undefined) faults.push(no("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return faults;
}

function matchFaults({ match, ...request }: VersionOptions, resourceVersion: string): FieldError[] {
  const faults: FieldError[] = [];
  if (resourceVersion === "")
    faults.push(no(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  if (request.continue !== "") faults.push(no(field, "resourceVersionMatch is forbidden when continue is provided"));
  if (match !== "Exact" && match !== "NotOlderThan") faults.push(unsupported(match, ["Exact", "NotOlderThan", ""]));
  if (match === "Exact" && resourceVersion === "0") {
    faults.push(no(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return faults;
}

const unsupported = (value: string, supported: string[]): FieldError => ({
  reason: "FieldValueNotSupported",
  field,
  value,
  detail: "",
  supported,
});
