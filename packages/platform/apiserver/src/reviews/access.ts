import type { FieldError } from "@trivium/schema";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import type { Attributes } from "../authorization/attributes.ts";
import type { Call } from "../call.ts";
import type { Identity } from "../identity.ts";
import { badRequest, invalid } from "../refusals.ts";

/** Questions about access, answered by the same rules that decide every request. */
const bad = (field: string, value: FieldError["value"], detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field: `spec.${field}`,
  value: value ?? null,
  detail,
});

/** `SelfSubjectAccessReview`: may I? */
export function mayI(spec: JsonObject, call: Call): JsonObject {
  refuse(faultsOfAttributes(spec));
  return decision(spec, call.identity, call);
}

/** `SubjectAccessReview`: may somebody else? */
export function mayTheyEverywhere(spec: JsonObject, call: Call): JsonObject {
  refuse(faultsOfSubject(spec));
  return decision(spec, subjectOf(spec), call);
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
  return decision(spec, subjectOf(spec), call);
}

/** `SelfSubjectRulesReview`: what may I? */
export function myRules(spec: JsonObject, { backend, identity }: Call): JsonObject {
  if (typeof spec.namespace !== "string" || spec.namespace === "") throw badRequest("no namespace on request");
  const rules = backend.authorizer.rulesOf(identity, spec.namespace);
  return {
    resourceRules: rules
      .filter(({ resources = [] }) => resources.length > 0)
      .map(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) => ({
        verbs: [...verbs],
        apiGroups: [...apiGroups],
        resources: [...resources],
        ...(resourceNames.length === 0 ? {} : { resourceNames: [...resourceNames] }),
      })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs = [] }) => ({ verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] })),
    incomplete: false,
  };
}

function decision(spec: JsonObject, identity: Identity, { backend }: Call): JsonObject {
  const { allowed, reason } = backend.authorizer.decide(identity, attributesIn(spec));
  return { allowed, ...(reason === "" ? {} : { reason }) };
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

function attributesIn({ resourceAttributes: of, nonResourceAttributes }: JsonObject): Attributes {
  if (!isObject(of)) {
    const { path, verb } = isObject(nonResourceAttributes) ? nonResourceAttributes : {};
    return { is: "path", path: text(path), verb: text(verb) };
  }
  return {
    is: "resource",
    verb: text(of.verb),
    group: text(of.group),
    resource: text(of.resource),
    subresource: text(of.subresource),
    namespace: text(of.namespace),
    name: text(of.name),
  };
}

const subjectOf = ({ user, groups }: JsonObject): Identity => ({
  user: text(user),
  groups: Array.isArray(groups) ? groups.map(text) : [],
});

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
