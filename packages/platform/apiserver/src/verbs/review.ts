import type { ApiResponse } from "@trivium/kube";
import { formatTime, isObject, type JsonObject } from "@trivium/std";
import type { Call } from "../call.ts";
import { readBody } from "../decode.ts";
import { badRequest, invalid } from "../refusals.ts";
import type { Resource } from "../resource.ts";
import { respond } from "../respond.ts";

/** Questions of the form of objects: they are answered and never stored. Every authenticated caller may do everything. */
type Answer = (spec: JsonObject, call: Call) => { spec?: JsonObject; status: JsonObject };

const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };

const answers: Readonly<Record<string, { readonly group: string; readonly kind: string; readonly answer: Answer }>> = {
  selfsubjectreviews: { group: "authentication.k8s.io", kind: "SelfSubjectReview", answer: whoAmI },
  selfsubjectaccessreviews: { group: "authorization.k8s.io", kind: "SelfSubjectAccessReview", answer: mayI },
  subjectaccessreviews: { group: "authorization.k8s.io", kind: "SubjectAccessReview", answer: mayI },
  selfsubjectrulesreviews: {
    group: "authorization.k8s.io",
    kind: "SelfSubjectRulesReview",
    answer: () => ({
      spec: {},
      status: {
        resourceRules: [everything],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        incomplete: false,
      },
    }),
  },
};

function whoAmI(_spec: JsonObject, { identity }: Call): { status: JsonObject } {
  const uid = identity.uid === undefined ? {} : { uid: identity.uid };
  return { status: { userInfo: { username: identity.user, ...uid, groups: [...identity.groups] } } };
}

function mayI(spec: JsonObject, call: Call): { spec: JsonObject; status: JsonObject } {
  if ((spec.resourceAttributes === undefined) === (spec.nonResourceAttributes === undefined)) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    throw invalid({ group: call.resource.group, kind: call.resource.kind }, "", [
      { reason: "FieldValueInvalid", field: "spec.resourceAttributes", value: null, detail },
    ]);
  }
  return { spec, status: { allowed: true } };
}

export function isReview(resource: Resource): boolean {
  return answers[resource.plural]?.group === resource.group;
}

export async function review(call: Call): Promise<ApiResponse> {
  const { resource } = call;
  const { value } = readBody(resource, call.request.body || "{}", call.request.headers["content-type"]);
  if (!isObject(value)) throw badRequest(`${resource.kind} must be an object`);
  const metadata = { creationTimestamp: formatTime(call.backend.now()) };
  const { spec, status } = answers[resource.plural]!.answer(isObject(value.spec) ? value.spec : {}, call);
  const apiVersion = `${resource.group}/${resource.version}`;
  return respond(
    call,
    201,
    JSON.stringify({ kind: resource.kind, apiVersion, metadata, ...(spec === undefined ? {} : { spec }), status }),
  );
}

/** The rows by which discovery and the router know of them. */
export function reviewResources(): Resource[] {
  return Object.entries(answers).map(([plural, { group, kind }]) => ({
    group,
    version: "v1",
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: false,
    verbs: ["create"],
    origin: "built-in",
    storageVersion: "v1",
    schema: { type: "object" },
    subresources: { status: false, others: [] },
    columns: [],
    cells: () => [],
    strategy: { prune: () => [], applyDefaults: () => undefined, validate: () => [], hasGeneration: false },
    selectableFields: [],
  }));
}
