import { metricsAccessRules } from "@trivium/client";
import type { PolicyRule } from "@trivium/runtime";
import { both, type Settings } from "./chart-values.ts";
import { formatDashboard } from "./dashboard.ts";
import { grant } from "./grants.ts";
import { labelsOf, metadataOf } from "./pod.ts";
import { type Open, type Part, Value } from "./value.ts";

const file = "monitoring";

/** Who can read metrics, and what scrapes and shows them. */
export function monitoringParts(s: Settings): Part[] {
  const isOn = s.isOn("monitoring.serviceMonitor");
  const hasGateway = s.isOn("gateway.enabled");
  const hasAgent = both(s.isOn("nodeAgent.enabled"), s.hasDialect("ome"));
  const isClosed = s.isOn("monitoring.authentication");
  return [
    { file, when: isClosed, object: readerRole(s) },
    ...reviewGrant(s, "operator", isClosed),
    ...reviewGrant(s, "gateway", both(isClosed, hasGateway)),
    monitor(s, "operator", "health", isOn),
    monitor(s, "gateway", "admin", both(isOn, hasGateway)),
    monitor(s, "node-agent", "health", both(isOn, hasAgent), s.value("nodeAgent.namespace")),
    { file, when: s.isOn("monitoring.dashboard"), object: dashboard(s) },
  ];
}

/** The value of --metrics-access. */
export const metricsAccess = (s: Settings): Value =>
  new Value(
    `ternary "authorized" "anyone" .Values.monitoring.authentication`,
    s.read("monitoring.authentication") === true ? "authorized" : "anyone",
  );

/** For the account of Prometheus: bound to nobody. */
const readerRole = (s: Settings): Part["object"] => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: s.name("metrics-reader"), labels: labelsOf("metrics-reader") },
  rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
});

/** A program that serves metrics asks the cluster whose token a client presents. */
const reviewGrant = (s: Settings, component: string, when: Value): Part[] =>
  grant(s, { file, when, component, name: `${component}-metrics`, rules: metricsAccessRules as readonly PolicyRule[] });

const tokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token";

const monitor = (s: Settings, component: string, port: string, when: Value, namespace: Value = s.namespace): Part => ({
  file,
  when,
  object: {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { ...metadataOf(s, component), namespace },
    spec: { selector: { matchLabels: labelsOf(component) }, endpoints: endpointsOf(s, port) as Open },
  },
});

/** Labels of our own win: the namespace of a model is not that of the pod that reports it. */
function endpointsOf(s: Settings, port: string): Value {
  const plain = `(dict "port" "${port}" "path" "/metrics" "honorLabels" true)`;
  const closed = `(dict "port" "${port}" "path" "/metrics" "honorLabels" true "bearerTokenFile" "${tokenFile}")`;
  const isClosed = s.read("monitoring.authentication") === true;
  return new Value(`list (ternary ${closed} ${plain} .Values.monitoring.authentication) | toJson`, [
    { port, path: "/metrics", honorLabels: true, ...(isClosed ? { bearerTokenFile: tokenFile } : {}) },
  ]);
}

const dashboard = (s: Settings): Part["object"] => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: s.name("dashboard"),
    namespace: s.namespace,
    labels: { ...labelsOf("dashboard"), grafana_dashboard: "1" },
  },
  data: { "trivium.json": formatDashboard() },
});
