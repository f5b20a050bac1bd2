import type { Transport } from "@trivium/kube";
import type { Json, JsonObject } from "@trivium/std";
import { clusterWide, type Handle, namespaced } from "./handle.ts";
import { post, type Servers } from "./servers.ts";

/** The CRD that most sequences about custom resources use: one of every way in which a list or map can be merged. */
export const gadgetDefinition: JsonObject = definition("gadgets", "Gadget", {
  subresources: {
    status: {},
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
  },
  additionalPrinterColumns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size", description: "How big" },
    { name: "Colour", type: "string", jsonPath: ".spec.colour" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "On", type: "boolean", jsonPath: ".spec.on" },
    { name: "Ratio", type: "number", jsonPath: ".spec.ratio", priority: 1 },
    { name: "Tags", type: "string", jsonPath: ".spec.tags" },
    { name: "Since", type: "date", jsonPath: ".spec.since" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  selectableFields: [{ jsonPath: ".spec.colour" }, { jsonPath: ".spec.size" }, { jsonPath: ".spec.on" }],
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            size: { type: "integer", minimum: 1, maximum: 100 },
            replicas: { type: "integer", default: 1, format: "int32" },
            colour: { type: "string", enum: ["red", "green", "blue"] },
            on: { type: "boolean" },
            ratio: { type: "number", exclusiveMinimum: true, minimum: 0 },
            name: { type: "string", minLength: 2, maxLength: 8, pattern: "^[a-z]+$" },
            since: { type: "string", format: "date-time" },
            address: { type: "string", format: "ipv4" },
            quantity: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
            tags: {
              type: "array",
              items: { type: "string", maxLength: 20 },
              "x-kubernetes-list-type": "set",
              maxItems: 5,
            },
            words: { type: "array", items: { type: "string" }, maxItems: 4, minItems: 1 },
            ports: {
              type: "array",
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["number", "protocol"],
              maxItems: 10,
              items: {
                type: "object",
                required: ["number"],
                properties: {
                  number: { type: "integer" },
                  protocol: { type: "string", default: "TCP" },
                  name: { type: "string" },
                  options: { type: "object", additionalProperties: { type: "string" } },
                },
              },
            },
            atom: {
              type: "object",
              "x-kubernetes-map-type": "atomic",
              properties: { a: { type: "string" }, b: { type: "string" } },
            },
            nested: {
              type: "object",
              default: {},
              properties: {
                mode: { type: "string", default: "auto" },
                level: { type: "integer" },
                deep: { type: "object", properties: { on: { type: "boolean", default: true } } },
              },
            },
            settings: { type: "object", additionalProperties: { type: "integer" }, maxProperties: 3 },
            nothing: { type: "string", nullable: true },
            free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            template: {
              type: "object",
              "x-kubernetes-embedded-resource": true,
              "x-kubernetes-preserve-unknown-fields": true,
            },
            fixed: {
              type: "string",
              maxLength: 20,
              "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "fixed does not change" }],
            },
            low: { type: "integer" },
            high: { type: "integer" },
          },
          "x-kubernetes-validations": [
            {
              rule: "!has(self.low) || !has(self.high) || self.low <= self.high",
              message: "low must not be above high",
            },
            {
              rule: "!has(self.high) || self.high < 1000",
              messageExpression: "self.high > 5000 ? 'high is far too high' : 'high is too high'",
              reason: "FieldValueForbidden",
              fieldPath: ".high",
            },
            { rule: "!has(self.tags) || self.tags.all(t, t != 'bad')" },
          ],
        },
        status: {
          type: "object",
          properties: {
            replicas: { type: "integer" },
            selector: { type: "string" },
            phase: { type: "string", enum: ["New", "Done"] },
            conditions: {
              type: "array",
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["type"],
              items: {
                type: "object",
                required: ["type", "status"],
                properties: { type: { type: "string" }, status: { type: "string" }, message: { type: "string" } },
              },
            },
          },
        },
      },
    },
  },
});

/** Cluster-wide, in two versions, without subresources. */
export const planetDefinition: JsonObject = {
  ...definition("planets", "Planet", {}),
  spec: {
    ...(definition("planets", "Planet", {}).spec as JsonObject),
    scope: "Cluster",
    versions: ["v1", "v1beta1"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      ...(name === "v1" ? {} : { deprecated: true }),
      schema: {
        openAPIV3Schema: {
          type: "object",
          required: ["spec"],
          properties: {
            spec: {
              type: "object",
              required: ["mass"],
              properties: { mass: { type: "integer" }, moons: { type: "array", items: { type: "string" } } },
            },
            status: { type: "object", properties: { observed: { type: "boolean" } } },
          },
        },
      },
    })),
  },
};

export const gadgets: Handle = namespaced("judge.example/v1", "gadgets", "Gadget");
export const planets: Handle = clusterWide("judge.example/v1", "planets", "Planet");
export const oldPlanets: Handle = clusterWide("judge.example/v1beta1", "planets", "Planet");

export function definition(plural: string, kind: string, version: JsonObject, group = "judge.example"): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, ...version }],
    },
  };
}

/** The CRDs that sequences share, installed on both servers and served. */
export async function installFixtures(servers: Servers): Promise<void> {
  const all = [servers.real, servers.embedded];
  await Promise.all(all.map((transport) => installDefinitions(transport, [gadgetDefinition, planetDefinition])));
}

export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export async function installDefinitions(transport: Transport, crds: readonly JsonObject[]): Promise<void> {
  for (const crd of crds) await post(transport, definitions, crd);
  for (const crd of crds) await untilServed(transport, crd);
}

/** Established, and its collection answers: the real server serves a moment after it says so. */
async function untilServed(transport: Transport, crd: JsonObject): Promise<void> {
  const spec = crd.spec as { group: string; names: { plural: string }; versions: { name: string }[] };
  const deadline = Date.now() + 180_000;
  for (const { name } of spec.versions) {
    const path = `/apis/${spec.group}/${name}/${spec.names.plural}`;
    while ((await get(transport, path)).status !== 200) {
      if (Date.now() > deadline) throw new Error(`${path} is not served after three minutes`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function get(transport: Transport, path: string): Promise<{ status: number; body: Json }> {
  const { status, body } = await transport({ method: "GET", path, headers: { accept: "application/json" } });
  return { status, body: typeof body === "string" ? body : "" };
}
