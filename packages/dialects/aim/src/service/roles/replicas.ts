import type { PodMetricPlan } from "@trivium/domain";
import { parseQuantity } from "@trivium/std";
import type { Service } from "../names/names.ts";

/** Who decides between the bounds: nothing, something of the user's own, Kubernetes by itself, or KEDA. */
type Scaler = "none" | "external" | "hpa" | "keda";

export interface ReplicaPlan {
  readonly min: number;
  readonly max: number;
  readonly scaler: Scaler;
  /** What decides between the bounds; nothing said means how busy the processors are. */
  readonly metrics: readonly PodMetricPlan[];
}

/** Share of the processors that pods ask for above which there should be more of them, where nobody says what to measure. */
export const defaultUtilization = 80;

/** KServe's annotation for who scales. What a user writes there wins, with and without KServe. */
export const scalerAnnotation = "serving.kserve.io/autoscalerClass";
const scalers: readonly string[] = ["none", "external", "hpa", "keda"] satisfies Scaler[];

/** A class that nobody here knows is somebody else's. */
function scalerOf({ annotations = {} }: Service["metadata"], usual: Scaler): Scaler {
  const chosen = annotations[scalerAnnotation] ?? usual;
  return scalers.includes(chosen) ? (chosen as Scaler) : "external";
}

/** Whether an autoscaler belongs to the service that is not the user's own. */
export const isScaled = ({ scaler }: Pick<ReplicaPlan, "scaler">): boolean => scaler === "keda" || scaler === "hpa";

/** How many copies there should be: a number, or bounds between which load decides. */
export function lowerReplicas({ metadata, spec }: Service): ReplicaPlan {
  const { replicas = 1, minReplicas, maxReplicas, autoScaling } = spec;
  if (minReplicas === undefined && maxReplicas === undefined && autoScaling === undefined)
    return { min: replicas, max: replicas, scaler: scalerOf(metadata, "none"), metrics: [] };
  const min = minReplicas ?? 1;
  const metrics = (autoScaling?.metrics ?? []).flatMap(({ podmetric }) => {
    if (podmetric?.metric === undefined || podmetric.target === undefined) return [];
    return [{ metric: podmetric.metric, target: podmetric.target }];
  });
  return { min, max: Math.max(min, maxReplicas ?? min), scaler: scalerOf(metadata, "keda"), metrics };
}

/** What contradicts itself, or cannot be measured, in words. */
export function faultOfReplicas(service: Service): string | undefined {
  const { minReplicas = 1, maxReplicas, replicas = 1, autoScaling } = service.spec;
  if (replicas < 0) return `spec.replicas ${replicas} is negative; set 0 or more`;
  if (maxReplicas !== undefined && maxReplicas < minReplicas)
    return `spec.maxReplicas ${maxReplicas} is less than spec.minReplicas ${minReplicas}; raise it`;
  const faults = (autoScaling?.metrics ?? []).map(({ podmetric }, at) => {
    const fault = faultOfMetric(podmetric);
    return fault === undefined ? undefined : `spec.autoScaling.metrics[${at}].podmetric ${fault}`;
  });
  return faults.find((fault) => fault !== undefined);
}

type PodMetric = NonNullable<NonNullable<Service["spec"]["autoScaling"]>["metrics"]>[number]["podmetric"];

function faultOfMetric(podmetric: PodMetric): string | undefined {
  const { metric, target } = podmetric ?? {};
  if (!metric?.query && (metric?.metricNames ?? []).length === 0) return "has no metric; set metric.query";
  const value = targetOf(target ?? { type: "Value" });
  if (value === undefined) return "has no target; set target.value or target.averageValue";
  return parseQuantity(value) === undefined || !/[1-9]/.test(String(value))
    ? `has target "${value}", which is not a positive quantity (expected e.g. 4)`
    : undefined;
}

/** A share of something exists of processors and memory only, so measurements of pods have none. */
export function targetOf({
  type,
  value,
  averageValue,
}: Pick<PodMetricPlan["target"], "type" | "value" | "averageValue">) {
  const [first, second] = type === "AverageValue" ? [averageValue, value] : [value, averageValue];
  return first ?? second;
}
