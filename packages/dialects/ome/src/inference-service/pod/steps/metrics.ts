import type { PodPlan } from "@trivium/domain";
import type { MetricsSettings } from "../../../configuration/index.ts";
import { addNew, type PodStep, type PodStepContext, withContainer } from "./pod-step.ts";

const aggregationKey = "ome.io/enable-metric-aggregation";
const scrapingKey = "ome.io/enable-prometheus-scraping";
/** Where Knative's own container has the metrics of all, and its own. */
const aggregatePort = 9088;
const proxyPort = 9091;
const proxy = "queue-proxy";

/** Tells Prometheus where the metrics of a pod are, as the pod or the administrator wants it. */
export const announceMetrics: PodStep = (pod, context) => {
  const marked = markPod(pod, context.configuration?.metrics);
  const gathered = marked.annotations[aggregationKey] === "true" ? aggregate(marked) : marked;
  if (marked.annotations[scrapingKey] !== "true") return gathered;
  const { port, path } = scrapedAt(gathered, context);
  const found = { "prometheus.io/scrape": "true", "prometheus.io/port": port, "prometheus.io/path": path };
  return { ...gathered, annotations: { ...found, ...gathered.annotations } };
};

function markPod(pod: PodPlan, metrics: MetricsSettings | undefined): PodPlan {
  if (metrics === undefined) return pod;
  const defaults = { [aggregationKey]: metrics.aggregation, [scrapingKey]: metrics.scraping };
  return { ...pod, annotations: { ...defaults, ...pod.annotations } };
}

/** A pod of Knative is asked through its proxy; any other is asked where it serves. */
function scrapedAt({ annotations, spec }: PodPlan, { mode, main }: PodStepContext): { port: string; path: string } {
  if (mode === "Serverless") {
    const isAggregated = annotations[aggregationKey] === "true";
    return { port: String(isAggregated ? aggregatePort : proxyPort), path: "/metrics" };
  }
  const container = spec.containers.find(({ name }) => name === main);
  const served = container?.ports?.[0]?.containerPort ?? 8080;
  return {
    port: annotations["prometheus.ome.io/port"] ?? String(served),
    path: annotations["prometheus.ome.io/path"] ?? "/metrics",
  };
}

function aggregate(pod: PodPlan): PodPlan {
  const { annotations } = pod;
  return withContainer(pod, proxy, (container) => ({
    ...container,
    env: addNew(container.env, [
      { name: "CONTAINER_PROMETHEUS_METRICS_PORT", value: annotations["prometheus.ome.io/port"] ?? "8080" },
      { name: "CONTAINER_PROMETHEUS_METRICS_PATH", value: annotations["prometheus.ome.io/path"] ?? "/metrics" },
      { name: "AGGREGATE_PROMETHEUS_METRICS_PORT", value: String(aggregatePort) },
    ]),
    ports: [
      ...(container.ports ?? []).filter(({ containerPort }) => containerPort !== aggregatePort),
      { name: "aggr-metric", containerPort: aggregatePort, protocol: "TCP" },
    ],
  }));
}
