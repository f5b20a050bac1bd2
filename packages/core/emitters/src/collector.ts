import type { CollectorPlan } from "@trivium/domain";
import { OpenTelemetryCollector } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";

/** Runs in each pod that asks for it by its name. */
export function emitCollector(plan: CollectorPlan): Desired<OpenTelemetryCollector> {
  const { name, labels, port, marks, metricNames, sendTo } = plan;
  const chosen = { metrics: { include: { match_type: "strict", metric_names: [...metricNames] } } };
  const processors = metricNames.length === 0 ? {} : { filter: chosen };
  const scrape = {
    job_name: name,
    scrape_interval: "5s",
    static_configs: [{ targets: [`localhost:${port}`], labels: { ...marks } }],
  };
  const object: OpenTelemetryCollector = {
    apiVersion: "opentelemetry.io/v1beta1",
    kind: "OpenTelemetryCollector",
    metadata: { name, labels: { ...labels } },
    spec: {
      mode: "sidecar",
      managementState: "managed",
      config: {
        receivers: { prometheus: { config: { scrape_configs: [scrape] } } },
        processors,
        exporters: { otlp: { endpoint: sendTo, compression: "none", tls: { insecure: true } } },
        service: {
          pipelines: {
            metrics: { receivers: ["prometheus"], processors: Object.keys(processors), exporters: ["otlp"] },
          },
        },
      },
    },
  };
  return { kind: OpenTelemetryCollector, object };
}
