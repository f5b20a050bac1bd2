import type { ApiResponse } from "@trivium/kube";
import { formatTime, isObject, type JsonObject } from "@trivium/std";
import { readBody } from "../body/decode.ts";
import type { Call } from "../call.ts";
import { badRequest } from "../refusals.ts";
import type { Resource } from "../resource.ts";
import { respond } from "../respond.ts";
import { mayI, mayTheyEverywhere, mayTheyHere, myRules } from "../reviews/access.ts";
import { whoAmI, whoseToken } from "../reviews/identity.ts";

/** Questions of the form of objects: they are answered and never stored. */
interface Review {
  readonly group: "authentication.k8s.io" | "authorization.k8s.io";
  readonly kind: string;
  /** The status. */
  answer(spec: JsonObject, call: Call): JsonObject;
  readonly isNamespaced?: true;
  /** Whether the question comes back with the answer. */
  readonly shows: "whole spec" | "empty spec" | "no spec";
}

const reviews: ReadonlyMap<string, Review> = new Map<string, Review>([
  [
    "selfsubjectreviews",
    { group: "authentication.k8s.io", kind: "SelfSubjectReview", answer: whoAmI, shows: "no spec" },
  ],
  ["tokenreviews", { group: "authentication.k8s.io", kind: "TokenReview", answer: whoseToken, shows: "whole spec" }],
  [
    "localsubjectaccessreviews",
    {
      group: "authorization.k8s.io",
      kind: "LocalSubjectAccessReview",
      answer: mayTheyHere,
      isNamespaced: true,
      shows: "whole spec",
    },
  ],
  [
    "selfsubjectaccessreviews",
    { group: "authorization.k8s.io", kind: "SelfSubjectAccessReview", answer: mayI, shows: "whole spec" },
  ],
  [
    "selfsubjectrulesreviews",
    { group: "authorization.k8s.io", kind: "SelfSubjectRulesReview", answer: myRules, shows: "empty spec" },
  ],
  [
    "subjectaccessreviews",
    { group: "authorization.k8s.io", kind: "SubjectAccessReview", answer: mayTheyEverywhere, shows: "whole spec" },
  ],
]);

const reviewOf = (resource: Resource): Review | undefined => {
  const found = reviews.get(resource.plural);
  return found?.group === resource.group ? found : undefined;
};

export const isReview = (resource: Resource): boolean => reviewOf(resource) !== undefined;

export async function review(call: Call): Promise<ApiResponse> {
  const { resource, namespace } = call;
  const { value } = readBody(resource, call.request.body || "{}", call.request.headers["content-type"]);
  if (!isObject(value)) throw badRequest(`${resource.kind} must be an object`);
  const given = isObject(value.spec) ? value.spec : {};
  const { answer, shows } = reviewOf(resource) as Review;
  const spec = shows === "no spec" ? {} : { spec: shows === "whole spec" ? given : {} };
  const metadata = {
    ...(namespace === "" ? {} : { namespace }),
    ...(shows === "no spec" ? { creationTimestamp: formatTime(call.backend.now()) } : {}),
  };
  const apiVersion = `${resource.group}/${resource.version}`;
  const status = answer(given, call);
  return respond(call, 201, JSON.stringify({ kind: resource.kind, apiVersion, metadata, ...spec, status }));
}

/** The rows by which discovery and the router know of them. */
export function reviewResources(): Resource[] {
  return [...reviews].map(([plural, { group, kind, isNamespaced = false }]) => ({
    group,
    version: "v1",
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: isNamespaced,
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
