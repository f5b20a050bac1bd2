import { both, type Settings } from "./chart-values.ts";
import { formatDashboard } from "./dashboard.ts";
import { labelsOf, metadataOf } from "./pod.ts";
import type { Part, Value } from "./value.ts";

const file = "monitoring";

/** What Prometheus scrapes, and a dashboard of it. */
export function monitoringParts(s: Settings): Part[] {
  const isOn = s.isOn("monitoring.serviceMonitor");
  return [
    monitor(s, "operator", "health", isOn),
    monitor(s, "gateway", "admin", both(isOn, s.isOn("gateway.enabled"))),
    {
      file,
      when: s.isOn("monitoring.dashboard"),
      object: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {
          name: s.name("dashboard"),
          namespace: s.namespace,
          labels: { ...labelsOf("dashboard"), grafana_dashboard: "1" },
        },
        data: { "trivium.json": formatDashboard() },
      },
    },
  ];
}

const monitor = (s: Settings, component: string, port: string, when: Value): Part => ({
  file,
  when,
  object: {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: metadataOf(s, component),
    spec: { selector: { matchLabels: labelsOf(component) }, endpoints: [{ port, path: "/metrics" }] },
  },
});
