import { anyJson, free, intOrString, quantity, type Schema } from "@trivium/schema";
import { deepFreeze } from "@trivium/std";
import { type Reading, readDefinitions } from "./definitions.ts";
import { type EmbeddedSchemas, embeddedDefinitions } from "./generated/embedded.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** The metadata of an object inside an object: what a template may say, so that pruning keeps it. */
const templateMetadata: Schema = {
  type: "object",
  properties: {
    name: { type: "string" },
    generateName: { type: "string" },
    namespace: { type: "string" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    annotations: { type: "object", additionalProperties: { type: "string" } },
    finalizers: { type: "array", items: { type: "string" } },
  },
};

/** The standard condition, with the rules that its schema in CRDs has and the published definition leaves to code. */
const condition: Schema = {
  type: "object",
  required: ["lastTransitionTime", "message", "reason", "status", "type"],
  properties: {
    lastTransitionTime: { type: "string", format: "date-time" },
    message: { type: "string", maxLength: 32768 },
    observedGeneration: { type: "integer", format: "int64", minimum: 0 },
    reason: { type: "string", minLength: 1, maxLength: 1024, pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$" },
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    type: {
      type: "string",
      maxLength: 316,
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    },
  },
};

const structural: Reading = {
  replaced: {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": () => quantity(""),
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": () => intOrString(""),
    "io.k8s.apimachinery.pkg.runtime.RawExtension": () => free(""),
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": () => anyJson(""),
    [`${meta}.FieldsV1`]: () => free(""),
    [`${meta}.ObjectMeta`]: () => templateMetadata,
    [`${meta}.Condition`]: () => condition,
  },
  // The API server takes the empty string for "not set", and manifests that were written by programs have it.
  emptyIsUnset: true,
  keywords: [
    "type",
    "format",
    "enum",
    "required",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
  ],
};

function embeddedSchemas(): EmbeddedSchemas {
  const resolve = readDefinitions(structural);
  const table = {};
  for (const [name, definition] of Object.entries(embeddedDefinitions)) {
    Object.defineProperty(table, name, { enumerable: true, get: () => deepFreeze(resolve(definition)) });
  }
  return table as EmbeddedSchemas;
}

/**
 * Kubernetes' own types for authors of custom resources: `k8s.PodSpec`, `k8s.EnvVar` … Each is made when it is first asked
 * for; equal parts are the same object, frozen, so embed them and change a copy (`as`, `opt`) only.
 */
export const k8s: EmbeddedSchemas = embeddedSchemas();
