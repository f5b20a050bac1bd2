import type { AnyObject } from "@trivium/kube";
import type { Json, JsonObject } from "@trivium/std";

/** An object of one neighbour as we would emit it, and ways to spoil it with the field that must be blamed. */
export interface Example {
  readonly good: AnyObject;
  readonly spoiled: readonly {
    readonly path: readonly (string | number)[];
    readonly value: Json;
    readonly blamed: string;
  }[];
}

const namespace = "neighbours";
const container = { name: "server", image: "registry.example/server:1", args: ["--port", "8080"] };
const template = { spec: { containers: [container] } };

const example = (apiVersion: string, kind: string, spec: JsonObject, spoiled: Example["spoiled"]): Example => ({
  good: { apiVersion, kind, metadata: { name: "example", namespace }, spec },
  spoiled,
});

const clusterWide = ({ good, spoiled }: Example): Example => ({
  good: { ...good, metadata: { name: "example" } },
  spoiled,
});

/** An unknown field must never pass, whatever else a schema leaves open. */
const unknown = (path: readonly (string | number)[], blamed: string) => ({
  path: [...path, "bogus"],
  value: 1,
  blamed: `${blamed}.bogus`,
});
const wrong = (path: readonly (string | number)[], value: Json, blamed: string) => ({ path, value, blamed });

const runtime: JsonObject = {
  containers: [container],
  multiModel: false,
  supportedModelFormats: [{ name: "gguf", version: "1", autoSelect: true, priority: 1 }],
};
const spoiledRuntime = [
  unknown(["spec"], "spec"),
  unknown(["spec", "containers", 0], "spec.containers[0]"),
  wrong(["spec", "supportedModelFormats", 0, "priority"], 0, "spec.supportedModelFormats[0].priority"),
];

/** One a kind, in the order of the alphabet. */
export const examples: readonly Example[] = [
  clusterWide(example("serving.kserve.io/v1alpha1", "ClusterServingRuntime", runtime, spoiledRuntime)),
  example(
    "gateway.networking.k8s.io/v1",
    "Gateway",
    { gatewayClassName: "public", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
    [
      unknown(["spec", "listeners", 0], "spec.listeners[0]"),
      wrong(["spec", "listeners", 0, "port"], 70000, "spec.listeners[0].port"),
    ],
  ),
  clusterWide(
    example("gateway.networking.k8s.io/v1", "GatewayClass", { controllerName: "example.com/gateway" }, [
      unknown(["spec"], "spec"),
      wrong(["spec", "controllerName"], "no path", "spec.controllerName"),
    ]),
  ),
  example(
    "gateway.networking.k8s.io/v1",
    "HTTPRoute",
    {
      parentRefs: [{ name: "public", namespace: "gateways" }],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: "/chat" } }],
          filters: [
            { type: "URLRewrite", urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } } },
          ],
          backendRefs: [{ name: "server", port: 80 }],
          timeouts: { request: "30s" },
        },
      ],
    },
    [
      unknown(["spec", "rules", 0], "spec.rules[0]"),
      wrong(["spec", "rules", 0, "matches", 0, "path", "value"], "chat", "spec.rules[0].matches[0].path"),
      wrong(["spec", "rules", 0, "timeouts", "request"], "soon", "spec.rules[0].timeouts.request"),
    ],
  ),
  example(
    "inference.networking.k8s.io/v1",
    "InferencePool",
    {
      selector: { matchLabels: { app: "server" } },
      targetPorts: [{ number: 8080 }],
      endpointPickerRef: { name: "picker", port: { number: 9002 } },
    },
    [unknown(["spec"], "spec"), wrong(["spec", "targetPorts", 0, "number"], 0, "spec.targetPorts[0].number")],
  ),
  example(
    "serving.kserve.io/v1beta1",
    "InferenceService",
    {
      predictor: {
        minReplicas: 1,
        model: { modelFormat: { name: "gguf" }, runtime: "example", storageUri: "pvc://a/b" },
      },
    },
    [
      unknown(["spec", "predictor"], "spec.predictor"),
      unknown(["spec", "predictor", "model"], "spec.predictor.model"),
      wrong(["spec", "predictor", "minReplicas"], "one", "spec.predictor.minReplicas"),
    ],
  ),
  example(
    "leaderworkerset.x-k8s.io/v1",
    "LeaderWorkerSet",
    { replicas: 1, leaderWorkerTemplate: { size: 2, leaderTemplate: template, workerTemplate: template } },
    [
      unknown(
        ["spec", "leaderWorkerTemplate", "workerTemplate", "spec"],
        "spec.leaderWorkerTemplate.workerTemplate.spec",
      ),
      wrong(["spec", "startupPolicy"], "Whenever", "spec.startupPolicy"),
    ],
  ),
  example(
    "monitoring.coreos.com/v1",
    "PodMonitor",
    { selector: { matchLabels: { app: "server" } }, podMetricsEndpoints: [{ port: "metrics", interval: "15s" }] },
    [
      unknown(["spec", "podMetricsEndpoints", 0], "spec.podMetricsEndpoints[0]"),
      wrong(["spec", "podMetricsEndpoints", 0, "interval"], "often", "spec.podMetricsEndpoints[0].interval"),
    ],
  ),
  example(
    "gateway.networking.k8s.io/v1beta1",
    "ReferenceGrant",
    {
      from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "other" }],
      to: [{ group: "", kind: "Service" }],
    },
    [unknown(["spec", "to", 0], "spec.to[0]"), wrong(["spec", "from"], [], "spec.from")],
  ),
  example(
    "keda.sh/v1alpha1",
    "ScaledObject",
    {
      scaleTargetRef: { name: "server" },
      minReplicaCount: 0,
      maxReplicaCount: 3,
      triggers: [{ type: "prometheus", metadata: { query: "up", threshold: "1" } }],
    },
    [
      unknown(["spec", "triggers", 0], "spec.triggers[0]"),
      wrong(["spec", "triggers", 0, "metadata", "threshold"], 1, "spec.triggers[0].metadata.threshold"),
    ],
  ),
  example(
    "serving.knative.dev/v1",
    "Service",
    { template: { spec: { containers: [container], timeoutSeconds: 300 } } },
    [
      unknown(["spec", "template", "spec"], "spec.template.spec"),
      wrong(["spec", "template", "spec", "timeoutSeconds"], "long", "spec.template.spec.timeoutSeconds"),
    ],
  ),
  example(
    "monitoring.coreos.com/v1",
    "ServiceMonitor",
    { selector: { matchLabels: { app: "server" } }, endpoints: [{ port: "metrics", path: "/metrics" }] },
    [
      unknown(["spec", "endpoints", 0], "spec.endpoints[0]"),
      wrong(["spec", "endpoints", 0, "scheme"], "gopher", "spec.endpoints[0].scheme"),
    ],
  ),
  example("serving.kserve.io/v1alpha1", "ServingRuntime", runtime, spoiledRuntime),
  example(
    "keda.sh/v1alpha1",
    "TriggerAuthentication",
    { secretTargetRef: [{ parameter: "token", name: "credentials", key: "token" }] },
    [unknown(["spec"], "spec"), wrong(["spec", "secretTargetRef", 0, "key"], 7, "spec.secretTargetRef[0].key")],
  ),
  example(
    "networking.istio.io/v1beta1",
    "VirtualService",
    { hosts: ["chat.example"], http: [{ route: [{ destination: { host: "server", port: { number: 80 } } }] }] },
    [
      unknown(["spec", "http", 0], "spec.http[0]"),
      wrong(["spec", "http", 0, "timeout"], "soon", "spec.http[0].timeout"),
    ],
  ),
];

/** A copy of an object with one value put somewhere else than it belongs. */
export function spoil(object: AnyObject, path: readonly (string | number)[], value: Json): AnyObject {
  const copy = structuredClone(object);
  const last = path.at(-1) ?? "";
  let at = copy as unknown as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) at = at[step] as Record<string | number, unknown>;
  at[last] = value;
  return copy;
}
