import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { ApiError } from "@trivium/kube";
import type { JsonObject } from "@trivium/std";
import { builtInResources } from "../index.ts";
import { decodeObject } from "./decode.ts";

const deployment = builtInResources().find((one) => one.kind === "Deployment");
const secret = builtInResources().find((one) => one.kind === "Secret");

function refusalOf(resource: typeof deployment, object: JsonObject): string {
  try {
    resource?.strategy.prune(object as unknown as AnyObject);
    return "(decoded)";
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, 400);
    return error.message;
  }
}

const container = (part: JsonObject): JsonObject => ({ spec: { template: { spec: { containers: [part] } } } });
const quantityForm = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Recorded from a real server. */
const refusals: readonly [JsonObject, string][] = [
  [
    { spec: { replicas: "3" } },
    "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
  ],
  [
    { spec: { replicas: 1.5 } },
    "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
  ],
  [
    { spec: { replicas: 3e9 } },
    "json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32",
  ],
  [
    { spec: { template: { spec: { containers: { a: 1 } } } } },
    "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
  ],
  [
    { spec: { template: { spec: { containers: ["x"] } } } },
    "json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.containers of type v1.Container",
  ],
  [
    container({ name: 5 }),
    "json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.name of type string",
  ],
  [container({ resources: { limits: { cpu: "abc" } } }), quantityForm],
  [container({ resources: { limits: { cpu: true } } }), quantityForm],
  [
    container({ livenessProbe: { httpGet: { port: true } } }),
    "json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.template.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
  ],
  [
    { metadata: { labels: { a: 1 } } },
    "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
  ],
  [
    { metadata: { creationTimestamp: "foo" } },
    'parsing time "foo" as "2006-01-02T15:04:05Z07:00": cannot parse "foo" as "2006"',
  ],
  [
    { metadata: { creationTimestamp: 5 } },
    "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
  ],
  [
    { spec: { template: { spec: { hostNetwork: "yes" } } } },
    "json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.hostNetwork of type bool",
  ],
  [
    { spec: { template: { spec: { nodeSelector: ["yes"] } } } },
    "json: cannot unmarshal array into Go struct field PodSpec.spec.template.spec.nodeSelector of type map[string]string",
  ],
  [
    { spec: { template: { spec: { volumes: [{ secret: [] }] } } } },
    "json: cannot unmarshal array into Go struct field Volume.spec.template.spec.volumes.VolumeSource.secret of type v1.SecretVolumeSource",
  ],
];

for (const [object, why] of refusals) {
  test(`a value of the wrong type is refused: ${JSON.stringify(object)}`, () => {
    assert.equal(refusalOf(deployment, object), `Deployment in version "v1" cannot be handled as a Deployment: ${why}`);
  });
}

test("bytes that are no base64 are refused", () => {
  const head = 'Secret in version "v1" cannot be handled as a Secret: ';
  assert.equal(refusalOf(secret, { data: { a: "%%%" } }), `${head}illegal base64 data at input byte 0`);
  const unmarshal = "json: cannot unmarshal number into Go struct field Secret.data of type []uint8";
  assert.equal(refusalOf(secret, { data: { a: 5 } }), head + unmarshal);
});

test("unknown fields are dropped and named with their place, in the order in which they stand", () => {
  const object = {
    spec: { template: { spec: { foo: 1, bar: { x: 1 }, containers: [{ naem: "x", ports: [{ containerport: 1 }] }] } } },
  };
  assert.deepEqual(decodeObject("io.k8s.api.apps.v1.Deployment", object), [
    "spec.template.spec.foo",
    "spec.template.spec.bar",
    "spec.template.spec.containers[0].naem",
    "spec.template.spec.containers[0].ports[0].containerport",
  ]);
  assert.deepEqual(object as JsonObject, { spec: { template: { spec: { containers: [{ ports: [{}] }] } } } });
});

test("nulls say nothing, quantities and times take their canonical form, free JSON stays as it is", () => {
  const pod: JsonObject = {
    metadata: { creationTimestamp: "2026-01-01T01:00:00.9+01:00", labels: null },
    spec: {
      nodeSelector: { a: null },
      containers: [{ name: "c", resources: { limits: { cpu: 0.5, memory: "1024Mi", x: 1 } } }],
    },
  };
  decodeObject("io.k8s.api.core.v1.Pod", pod);
  assert.deepEqual(pod, {
    metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: {
      nodeSelector: { a: "" },
      containers: [{ name: "c", resources: { limits: { cpu: "500m", memory: "1Gi", x: "1" } } }],
    },
  });
  const revision: JsonObject = { data: { a: null, b: [] }, revision: 1 };
  decodeObject("io.k8s.api.apps.v1.ControllerRevision", revision);
  assert.deepEqual(revision, { data: { a: null, b: [] }, revision: 1 });
});

test("a schema inside a schema is decoded at every depth, and a boolean may stand in its place", () => {
  const crd: JsonObject = {
    spec: {
      versions: [
        {
          schema: {
            openAPIV3Schema: {
              items: { additionalProperties: { typo: 1, items: { type: "string" } } },
              additionalProperties: false,
            },
          },
        },
      ],
    },
  };
  assert.deepEqual(
    decodeObject("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition", crd),
    ["spec.versions[0].schema.openAPIV3Schema.items.additionalProperties.typo"],
  );
});
