import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "@trivium/std";
import { type Chosen, chartValues, type ValueName } from "./chart-values.ts";
import { emitInstallation } from "./installation.ts";

const emit = (values: Chosen["values"], namespace = "trivium-system"): JsonObject[] =>
  emitInstallation({ release: "trivium", namespace, values });

/** Something else than the default, of the same type. */
function otherThan(name: ValueName): Json {
  const { default: value, schema } = chartValues[name] as (typeof chartValues)[ValueName] & { schema: JsonObject };
  if (name === "dialects") return ["llmkube"];
  if (Array.isArray(schema.enum)) return schema.enum.find((each) => each !== value) as Json;
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 7;
  if (typeof value === "string") return `other${value}`;
  if (Array.isArray(value))
    return schema.items !== undefined && name.endsWith("args") ? ["--other"] : [{ key: "other" }];
  return { other: "1" };
}

/** What a value has an effect beside. */
const beside: Partial<Record<ValueName, Chosen["values"]>> = {
  "gateway.targetCPU": { "gateway.maxReplicas": 4 },
  "gateway.targetRequests": { "gateway.maxReplicas": 4 },
  "dashboard.readOnly": { "dashboard.enabled": true },
  "dashboard.allowedHosts": { "dashboard.enabled": true },
};

test("every value of the chart changes what is installed", () => {
  for (const name of Object.keys(chartValues) as ValueName[]) {
    const values = beside[name] ?? {};
    assert.notDeepEqual(emit({ ...values, [name]: otherThan(name) }), emit(values), name);
  }
});

const argumentsOf = (objects: readonly JsonObject[], kind: string, name: string): string[] => {
  const found = objects.find((each) => each.kind === kind && (each.metadata as JsonObject).name === name) as {
    spec: { template: { spec: { containers: [{ args: string[] }] } } };
  };
  return found.spec.template.spec.containers[0].args;
};

test("the tag is that of all images, those included that emitted pods run", () => {
  const objects = emit({ "image.registry": "registry.example.com/ml", "image.tag": "mine" });
  const images = JSON.stringify(objects).match(/registry\.example\.com\/ml\/[\w:./-]+/g) ?? [];
  assert.deepEqual([...new Set(images)].sort(), [
    "registry.example.com/ml/trivium-gateway:mine",
    "registry.example.com/ml/trivium-node-agent:mine",
    "registry.example.com/ml/trivium-operator:mine",
    "registry.example.com/ml/trivium-weights:mine",
  ]);
});

test("the node agent reports where the operator reads", () => {
  const objects = emit({ "nodeAgent.namespace": "models", "nodeAgent.modelsRoot": "/data" });
  const agent = argumentsOf(objects, "DaemonSet", "trivium-node-agent");
  const operator = argumentsOf(objects, "Deployment", "trivium-operator");
  assert.deepEqual(
    agent.filter((each) => /^--(namespace|models-root)=/.test(each)),
    ["--namespace=models", "--models-root=/data"],
  );
  assert.deepEqual(
    operator.filter((each) => each.startsWith("--ome-")),
    ["--ome-namespace=models", "--ome-models-root=/data"],
  );
});

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
}

test("with one namespace, rights to namespaced kinds hold only there", () => {
  const values = {
    namespace: "team-a",
    "nodeAgent.namespace": "team-a",
    dialects: ["aim", "aim-eai", "ome", "llmkube"],
  };
  const objects = emit(values, "team-a");
  const bound = new Set(
    objects
      .filter(({ kind }) => kind === "ClusterRoleBinding")
      .map(({ roleRef }) => (roleRef as { name: string }).name),
  );
  const roles = objects as unknown as readonly Role[];
  const wide = roles.filter(({ kind, metadata }) => kind === "ClusterRole" && bound.has(metadata.name));
  // What is limited to names of objects is no right to a kind.
  const rules = wide.flatMap((role) => role.rules).filter(({ resourceNames }) => resourceNames === undefined);
  const resources = rules.flatMap((rule) => (rule.resources ?? []).map((each) => each.split("/")[0] ?? ""));
  assert.deepEqual([...new Set(resources)].sort(), [
    ...["acceleratorclasses", "aimclusterimages", "aimclustermodels", "aimclustermodelsources"],
    ...["aimclusterruntimeconfigs", "aimclusterservicetemplates", "clusterbasemodels", "clusterservingruntimes"],
    ...["finetunedweights", "gatewayclasses", "namespaces", "nodes", "priorityclasses", "storageclasses"],
    ...["subjectaccessreviews", "tokenreviews"],
  ]);
  const within = roles.filter(({ kind }) => kind === "Role").map(({ metadata }) => metadata.namespace);
  assert.deepEqual([...new Set(within)].sort(), ["default", "team-a"]);
  assert.deepEqual(
    objects.filter(({ kind }) => kind === "Namespace"),
    [],
    "Helm creates the namespace of a release",
  );
  for (const [kind, name] of [
    ["Deployment", "trivium-operator"],
    ["Deployment", "trivium-gateway"],
  ] as const)
    assert.ok(argumentsOf(objects, kind, name).includes("--namespace=team-a"), name);
  assert.ok(argumentsOf(objects, "DaemonSet", "trivium-node-agent").includes("--watch-namespace=team-a"));
});
