import type { PolicyRule } from "@trivium/runtime";
import { both, type Settings } from "./chart-values.ts";
import { grant } from "./grants.ts";
import { metadataOf, openPort, selectorOf } from "./pod.ts";
import type { Part, Value } from "./value.ts";

const file = "dashboard";
const component = "dashboard";
const operator = "operator";
const port = 9080;

/** The dashboard of the operator: its address, and who reaches it. The operator gets no right of its users: they bring their own tokens. */
export function webDashboardParts(s: Settings): Part[] {
  const when = s.isOn("dashboard.enabled");
  const readsMetrics = both(when, s.isOn("gateway.enabled"), s.isOn("monitoring.authentication"));
  const rules = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] as unknown as readonly PolicyRule[];
  return [
    { file, when, object: service(s) },
    { file, when: both(when, s.isOn("networkPolicy")), object: openPort(s, component, port) },
    ...grant(s, { file, when: readsMetrics, component: operator, name: component, rules }),
  ];
}

/** Options of the operator, as an expression of Helm and as they are without it. */
export function dashboardArguments(s: Settings): { readonly helm: string; readonly concrete: readonly string[] } {
  const hosts = s.read("dashboard.allowedHosts") as string[];
  const gateway = `http://${s.nameText("gateway")}.${s.namespaceText}`;
  const [isOn, isReadOnly, hasGateway] = (["dashboard.enabled", "dashboard.readOnly", "gateway.enabled"] as const).map(
    (name) => s.isOn(name),
  ) as [Value, Value, Value];
  const address = `(printf "http://%s-gateway.%s" .Release.Name .Release.Namespace)`;
  const helm = [
    `(list "--dashboard-port=${port}" (printf "--dashboard-hosts=%s" (join "," .Values.dashboard.allowedHosts)))`,
    `(ternary (list "--dashboard-read-only") (list) ${isReadOnly.helm})`,
    `(ternary (list (printf "--dashboard-gateway=%s" ${address}) (printf "--dashboard-gateway-metrics=%s:8081/metrics" ${address})) (list) ${hasGateway.helm})`,
  ];
  const concrete = [
    `--dashboard-port=${port}`,
    `--dashboard-hosts=${hosts.join(",")}`,
    ...(isReadOnly.concrete === true ? ["--dashboard-read-only"] : []),
    ...(hasGateway.concrete === true
      ? [`--dashboard-gateway=${gateway}`, `--dashboard-gateway-metrics=${gateway}:8081/metrics`]
      : []),
  ];
  return {
    helm: `(ternary (concat ${helm.join(" ")}) (list) ${isOn.helm})`,
    concrete: isOn.concrete === true ? concrete : [],
  };
}

/** A session lives in one pod: a client stays with it. */
const service = (s: Settings): Part["object"] => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: metadataOf(s, component),
  spec: {
    selector: selectorOf(s, operator),
    sessionAffinity: "ClientIP",
    ports: [{ name: "http", port: 80, targetPort: port, protocol: "TCP" }],
  },
});
