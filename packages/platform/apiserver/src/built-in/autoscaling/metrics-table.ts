import type { api } from "@trivium/kube";
import { firstFew } from "../table/text.ts";

const unknown = "<unknown>";

/** What is measured against what is wanted, for the first two metrics of an autoscaler. */
export function formatMetrics(specs: readonly api.MetricSpec[], statuses: readonly api.MetricStatus[]): string {
  if (specs.length === 0) return "<none>";
  return firstFew(
    specs.map((spec, index) => formatMetric(spec, statuses[index])),
    2,
    ", ",
  );
}

function formatMetric(spec: api.MetricSpec, status: api.MetricStatus | undefined): string {
  switch (spec.type) {
    case "External":
      return valueText(spec.external?.target, status?.external?.current);
    case "Object":
      return valueText(spec.object?.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current.averageValue ?? unknown}/${spec.pods?.target.averageValue ?? ""}`;
    case "Resource":
      return `${spec.resource?.name}: ${usageText(spec.resource?.target, status?.resource?.current)}`;
    case "ContainerResource":
      return `${spec.containerResource?.name}: ${usageText(spec.containerResource?.target, status?.containerResource?.current)}`;
    default:
      return "<unknown type>";
  }
}

function valueText(target: api.MetricTarget | undefined, current: api.MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current === undefined ? unknown : (current.value ?? "0")}/${target?.value ?? ""}`;
}

function usageText(target: api.MetricTarget | undefined, current: api.MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue}`;
  const percent = (value: number | undefined, otherwise: string): string =>
    value === undefined ? otherwise : `${value}%`;
  return `${percent(current?.averageUtilization, unknown)}/${percent(target?.averageUtilization, "<auto>")}`;
}
