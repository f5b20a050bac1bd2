import type { Dialect } from "@trivium/reconcile";
import type { PolicyRule } from "@trivium/runtime";
import { both, not, type Settings } from "./chart-values.ts";
import { autoscaler, isAutoscaled } from "./gateway-autoscaler.ts";
import { grant, grantInScope } from "./grants.ts";
import { metricsAccess } from "./monitoring.ts";
import {
  type DeploymentFrame,
  deployment,
  disruptionBudget,
  metadataOf,
  networkPolicy,
  selectorOf,
  serviceAccount,
} from "./pod.ts";
import { type Part, Value } from "./value.ts";

const file = "gateway";
const reading = ["get", "list", "watch"];

/** What the gateway watches, and what it writes to start and stop workloads. */
const rules: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["events"], verbs: ["create", "get", "patch"] },
  { apiGroups: [""], resources: ["pods"], verbs: reading },
  { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
  { apiGroups: [""], resources: ["services"], verbs: [...reading, "patch"] },
  { apiGroups: ["apps"], resources: ["deployments", "statefulsets"], verbs: [...reading, "patch"] },
  { apiGroups: ["apps"], resources: ["deployments/scale", "statefulsets/scale"], verbs: ["get", "patch"] },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: reading },
  {
    apiGroups: ["gateway.networking.k8s.io"],
    resources: ["gateways", "httproutes", "referencegrants"],
    verbs: reading,
  },
  { apiGroups: ["serving.kserve.io"], resources: ["inferenceservices"], verbs: [...reading, "patch"] },
  { apiGroups: ["leaderworkerset.x-k8s.io"], resources: ["leaderworkersets"], verbs: [...reading, "patch"] },
  { apiGroups: ["leaderworkerset.x-k8s.io"], resources: ["leaderworkersets/scale"], verbs: ["get", "patch"] },
];

/** Kinds without a namespace: a gateway of one namespace reads them too. */
const clusterRules: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["namespaces"], verbs: reading },
  { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["gatewayclasses"], verbs: reading },
];

/** Services of a dialect own workloads: the gateway scales the topmost owner. */
function ownerRules({ group, kinds }: Dialect): PolicyRule[] {
  const scaled = kinds.filter(({ scale }) => scale !== undefined).map(({ plural }) => plural);
  const others = kinds.filter(({ scale, namespaced }) => scale === undefined && namespaced).map(({ plural }) => plural);
  return [
    { apiGroups: [group], resources: others, verbs: reading },
    { apiGroups: [group], resources: scaled, verbs: [...reading, "patch"] },
    { apiGroups: [group], resources: scaled.map((plural) => `${plural}/scale`), verbs: ["get", "patch"] },
  ].filter(({ resources }) => resources.length > 0);
}

/** The gateway: one address for all models. */
export function gatewayParts(s: Settings, dialects: readonly Dialect[]): Part[] {
  const isOn = s.isOn("gateway.enabled");
  const access = { file: "gateway-access", component: file };
  const keys = new Value(".Values.gateway.apiKeysSecret", s.read("gateway.apiKeysSecret") !== "");
  const keyRule = [
    { apiGroups: [""], resources: ["secrets"], resourceNames: [s.value("gateway.apiKeysSecret")], verbs: reading },
  ];
  return [
    { file, when: isOn, object: serviceAccount(s, file) },
    ...grant(s, { ...access, when: isOn, name: `${file}-cluster`, rules: clusterRules }),
    ...grantInScope(s, { ...access, when: isOn, name: file, rules }),
    ...dialects.flatMap((dialect) =>
      grantInScope(s, {
        ...access,
        when: both(isOn, s.hasDialect(dialect.name)),
        name: `gateway-${dialect.name}`,
        rules: ownerRules(dialect),
      }),
    ),
    ...grant(s, {
      ...access,
      when: both(isOn, keys),
      name: "gateway-keys",
      rules: keyRule as never,
      within: s.namespace,
    }),
    { file, when: isOn, object: deployment(s, frame(s)) },
    { file, when: both(isOn, isAutoscaled(s)), object: autoscaler(s) },
    { file, when: isOn, object: service(s) },
    { file, when: both(isOn, s.isOn("podDisruptionBudget")), object: disruptionBudget(s, file) },
    { file, when: both(isOn, s.isOn("networkPolicy")), object: networkPolicy(s, file, ["http", "admin"]) },
  ];
}

/** One of several gateways does not see the requests of the others, so none of them can tell that a service is idle. */
function argumentsOf(s: Settings): Value {
  const fixed = ["--host=0.0.0.0", "--port=8080", "--admin-host=0.0.0.0", "--admin-port=8081"];
  const secret = String(s.read("gateway.apiKeysSecret"));
  const optional = `(ternary (list (printf "--api-keys=%s/%s" .Release.Namespace .Values.gateway.apiKeysSecret)) (list) (ne .Values.gateway.apiKeysSecret ""))`;
  const isOne = !isAutoscaled(s).concrete && Number(s.read("gateway.replicas")) <= 1;
  const idle = `(ternary (list) (list "--idle=off") (and (${not(isAutoscaled(s)).helm}) (le (int .Values.gateway.replicas) 1)))`;
  const access = `(printf "--metrics-access=%s" (${metricsAccess(s).helm}))`;
  const namespace = String(s.read("namespace"));
  const scope = `(ternary (list (printf "--namespace=%s" .Values.namespace)) (list) (ne .Values.namespace ""))`;
  return new Value(
    `concat (list ${fixed.map((each) => JSON.stringify(each)).join(" ")} ${access}) ${scope} ${idle} ${optional} .Values.gateway.args | toJson`,
    [
      ...fixed,
      `--metrics-access=${metricsAccess(s).concrete}`,
      ...(namespace === "" ? [] : [`--namespace=${namespace}`]),
      ...(isOne ? [] : ["--idle=off"]),
      ...(secret === "" ? [] : [`--api-keys=${s.namespaceText}/${secret}`]),
      ...(s.read("gateway.args") as string[]),
    ],
  );
}

const frame = (s: Settings): DeploymentFrame => ({
  component: file,
  replicas: new Value("toJson .Values.gateway.replicas", s.read("gateway.replicas"), not(isAutoscaled(s))),
  grace: 60,
  health: { port: "admin", period: 5 },
  container: {
    args: argumentsOf(s),
    ports: [
      { name: "http", containerPort: 8080, protocol: "TCP" },
      { name: "admin", containerPort: 8081, protocol: "TCP" },
    ],
  },
});

const service = (s: Settings): Part["object"] => ({
  apiVersion: "v1",
  kind: "Service",
  // Its own address is not a model, whatever its server lists.
  metadata: { ...metadataOf(s, file), annotations: { "trivium.dev/models": "" } },
  spec: {
    type: s.value("gateway.serviceType"),
    selector: selectorOf(s, file),
    ports: [
      { name: "http", port: 80, targetPort: "http", protocol: "TCP" },
      { name: "admin", port: 8081, targetPort: "admin", protocol: "TCP" },
    ],
  },
});
