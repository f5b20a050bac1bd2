import type { FieldError } from "@trivium/schema";
import { isObject, type JsonObject } from "@trivium/std";
import type { Call } from "../call.ts";
import { badRequest, invalid } from "../refusals.ts";

/** Who may do what: everybody whom the door let in may do everything, and the answers say so. */
const reason = "this API server lets every authenticated caller do everything";
const anonymous = "system:anonymous";
const bad = (field: string, value: FieldError["value"], detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field: `spec.${field}`,
  value: value ?? null,
  detail,
});

/** `SelfSubjectAccessReview`: may I? */
export function mayI(spec: JsonObject): JsonObject {
  refuse(faultsOfAttributes(spec));
  return { allowed: true, reason };
}

/** `SubjectAccessReview`: may somebody else? */
export function mayTheyEverywhere(spec: JsonObject): JsonObject {
  refuse(faultsOfSubject(spec));
  return verdict(spec);
}

/** `LocalSubjectAccessReview`: the same, of one namespace. */
export function mayTheyHere(spec: JsonObject, call: Call): JsonObject {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const faults = faultsOfSubject(spec);
  if (isObject(resourceAttributes) && resourceAttributes.namespace !== call.namespace) {
    const given = resourceAttributes.namespace ?? "";
    faults.push(bad("resourceAttributes.namespace", given, "must match metadata.namespace"));
  }
  if (isObject(nonResourceAttributes)) {
    faults.push(
      bad("nonResourceAttributes", shownAttributes(nonResourceAttributes), "disallowed on this kind of request"),
    );
  }
  refuse(faults);
  return verdict(spec);
}

/** `SelfSubjectRulesReview`: what may I? */
export function myRules(spec: JsonObject): JsonObject {
  if (typeof spec.namespace !== "string" || spec.namespace === "") throw badRequest("no namespace on request");
  return {
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    incomplete: false,
  };
}

const verdict = (spec: JsonObject): JsonObject =>
  spec.user === anonymous
    ? { allowed: false, reason: "this API server lets only authenticated callers in" }
    : { allowed: true, reason };

function faultsOfSubject(spec: JsonObject): FieldError[] {
  const faults = faultsOfAttributes(spec);
  const hasGroups = Array.isArray(spec.groups) && spec.groups.length > 0;
  if ((spec.user ?? "") === "" && !hasGroups) {
    faults.push(bad("user", "", "at least one of user or group must be specified"));
  }
  return faults;
}

/** Under the names by which the real server knows them itself. */
const shownAttributes = ({ path = "", verb = "" }: JsonObject): JsonObject => ({ Path: path, Verb: verb });

function faultsOfAttributes({ resourceAttributes, nonResourceAttributes }: JsonObject): FieldError[] {
  if (isObject(resourceAttributes) && isObject(nonResourceAttributes)) {
    const detail = "cannot be specified in combination with resourceAttributes";
    return [bad("nonResourceAttributes", shownAttributes(nonResourceAttributes), detail)];
  }
  if (isObject(resourceAttributes) || isObject(nonResourceAttributes)) return [];
  const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [bad("resourceAttributes", null, detail)];
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalid({ group: "authorization.k8s.io", kind: "" }, "", faults);
}
