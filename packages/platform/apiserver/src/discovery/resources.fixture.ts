import type { Registry } from "../registry.ts";
import type { Resource, Verb } from "../resource.ts";

const allVerbs: Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** A resource for tests of documents, where only names, verbs and schema count. */
export function fakeResource(
  given: Pick<Resource, "group" | "version" | "kind" | "plural"> & Partial<Resource>,
): Resource {
  return {
    listKind: `${given.kind}List`,
    singular: given.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: allVerbs,
    origin: "built-in",
    storageVersion: given.version,
    schema: { type: "object" },
    subresources: { status: false, others: [] },
    columns: [],
    cells: () => [],
    strategy: { prune: () => [], applyDefaults: () => {}, validate: () => [], hasGeneration: true },
    selectableFields: [],
    ...given,
  };
}

export function fakeRegistry(...resources: Resource[]): Registry & { resources: Resource[]; revision: number } {
  return {
    resources,
    revision: 1,
    all() {
      return this.resources;
    },
    find(group, version, plural) {
      return this.resources.find((one) => one.group === group && one.version === version && one.plural === plural);
    },
  };
}

export const widget: Resource = fakeResource({
  group: "http.example.dev",
  version: "v1alpha1",
  kind: "Widget",
  plural: "widgets",
  shortNames: ["wd"],
  categories: ["all", "toys"],
  origin: "custom",
  verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
  subresources: {
    status: true,
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    others: [],
  },
  schema: {
    type: "object",
    description: "A toy.",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: {
        type: "object",
        properties: {
          size: { type: "integer", description: "How big it is." },
          port: { "x-kubernetes-int-or-string": true },
          not: { type: "string", nullable: true },
          inner: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
        },
      },
    },
  },
});

export const pod: Resource = fakeResource({
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  shortNames: ["po"],
  categories: ["all"],
  subresources: {
    status: true,
    others: [
      { name: "log", kind: "Pod", verbs: ["get"] },
      { name: "eviction", kind: "Eviction", verbs: ["create"] },
    ],
  },
});

export const deployment: Resource = fakeResource({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  shortNames: ["deploy"],
  categories: ["all"],
  subresources: {
    status: true,
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    others: [],
  },
});
