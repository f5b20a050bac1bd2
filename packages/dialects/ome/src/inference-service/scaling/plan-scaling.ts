import { gatewayController, type ScaledPlan, type ScaleTrigger, type ScalingPlan } from "@trivium/domain";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { keepEnd } from "../../names.ts";
import type { ComponentSpec } from "../roles/component.ts";
import type { Bounds } from "../roles/replicas.ts";
import { autoscalerClassOf, isOfRequests } from "./autoscaler-class.ts";
import { type KedaSettings, kedaSettingsOf } from "./keda-settings.ts";
import { defaultQuery, fillQuery, isOfGateway, type Measured, requestsUnderWay } from "./load-query.ts";

export interface ScalingInput {
  readonly service: InferenceService;
  readonly spec: ComponentSpec;
  readonly bounds: Bounds;
  readonly target: ScalingPlan["target"];
  readonly labels: Readonly<Record<string, string>>;
  readonly measured: Measured;
  readonly hasKeda: boolean;
  /** Whether our gateway is there to count requests. */
  readonly hasGateway: boolean;
  /** Whether the autoscaler of the other class, which we made, is still there. */
  readonly hasLeftover: boolean;
  /** What the whole installation says of KEDA. */
  readonly defaults?: KedaSettings | undefined;
}

export type PlannedScaling =
  | { readonly is: "hpa"; readonly plan: ScalingPlan }
  /** It waits while our other autoscaler is still there: KEDA takes nothing that somebody else scales. */
  | { readonly is: "keda"; readonly plan: ScaledPlan; readonly waits: boolean }
  /** Nobody scales; `why` where somebody should. What was made while that could be is spared. */
  | { readonly is: "none"; readonly why?: string; readonly spared?: ScaledPlan }
  | { readonly is: "faulty"; readonly why: string };

/** Who decides how many copies there are, between which bounds and by what. */
export function planScaling(input: ScalingInput): PlannedScaling {
  const { service, spec, hasKeda } = input;
  const request = autoscalerClassOf(service, spec);
  if (request.is === "unknown")
    return { is: "faulty", why: `Autoscaler class ${request.word} is unknown (expected hpa, keda or external)` };
  switch (request.class) {
    case "external":
      return { is: "none" };
    case "keda":
      return hasKeda ? planMeasured(input) : planUnscaled(input, withoutKeda(request.by, spec));
    case "hpa":
      return planUtilization(input);
  }
}

/** By what can be measured here: KEDA asks Prometheus, and who fills that must be there too. */
function planMeasured(input: ScalingInput): PlannedScaling {
  const planned = planTriggers(input);
  if (planned.is !== "keda" || input.hasGateway) return planned;
  const isUnanswered = planned.plan.triggers.some(({ metadata }) => isOfGateway(metadata.query ?? ""));
  return isUnanswered ? planUnscaled(input, withoutGateway(input.spec)) : planned;
}

function withoutGateway({ scaleMetric, minReplicas }: ComponentSpec): string {
  const what =
    scaleMetric === "rps" || scaleMetric === "concurrency"
      ? `metric ${scaleMetric} is counted`
      : minReplicas === 0
        ? "requests that scale it up from zero are counted"
        : "the server does not report its load, so requests are counted";
  return `${what} by the Trivium gateway, which is not installed (no accepted GatewayClass of ${gatewayController}); install it, or set kedaConfig.customPromQuery`;
}

function planUnscaled(input: ScalingInput, missing: string): PlannedScaling {
  const requested = planTriggers(input);
  if (requested.is !== "keda") return requested;
  return { is: "none", why: `${input.measured.component} is not scaled: ${missing}`, spared: requested.plan };
}

const withoutKeda = (by: string, { scaleMetric }: ComponentSpec): string =>
  by === "metric"
    ? `metric ${scaleMetric} needs KEDA, which is not installed; install it, or scale by cpu or memory`
    : "KEDA is not installed; install it, or use the autoscaler class hpa";

function planUtilization({ service, spec, bounds, target, labels, measured }: ScalingInput): PlannedScaling {
  const metric = spec.scaleMetric ?? "cpu";
  if (metric !== "cpu" && metric !== "memory") {
    const why = `${measured.component} is not scaled: metric ${metric} is not supported by the autoscaler class hpa; use keda`;
    return { is: "none", why };
  }
  const key = "ome.io/targetUtilizationPercentage";
  const written = Number(spec.annotations?.[key] ?? service.metadata.annotations?.[key]);
  const averageUtilization = Number.isInteger(written) && written > 0 ? written : (spec.scaleTarget ?? 80);
  const metrics = [
    { type: "Resource", resource: { name: metric, target: { type: "Utilization", averageUtilization } } },
  ];
  const { min, max } = bounds;
  return { is: "hpa", plan: { name: measured.object, labels, target, min: min, max: max, metrics } };
}

/** KEDA makes an autoscaler of its own, `keda-hpa-` and this name, and refuses one of more than 63 characters. */
const scaledObjectNameOf = (object: string): string => `scaledobject-${keepEnd(object, 41)}`;

const defaultServer = "http://prometheus-operated.monitoring.svc.cluster.local:9090";

function planTriggers(input: ScalingInput): PlannedScaling {
  const { service, spec, bounds, target, labels, measured, defaults } = input;
  const settings = kedaSettingsOf(service, spec, defaults);
  const ofMetric = isOfRequests(spec) ? spec.scaleTarget : undefined;
  const threshold = String(ofMetric ?? settings.scalingThreshold ?? 10);
  if (!(Number(threshold) > 0))
    return {
      is: "faulty",
      why: `scalingThreshold ${threshold} of ${measured.component} is not a number greater than 0`,
    };
  const maySleep = spec.minReplicas === 0;
  const own = settings.customPromQuery;
  const query = own === undefined ? defaultQuery(measured, spec.scaleMetric) : fillQuery(own, measured);
  const trigger = triggerOf(settings, { metricName: spec.scaleMetric ?? "tps", query, threshold, maySleep });
  const wake = requestsUnderWay(measured);
  // Servers that do not run say nothing, so that those who sleep would never wake by their words.
  const needsWake = maySleep && own === undefined && query !== wake;
  const waking = { metricName: "requests", query: wake, threshold, maySleep };
  return {
    is: "keda",
    waits: input.hasLeftover,
    plan: {
      name: scaledObjectNameOf(measured.object),
      labels,
      target,
      min: maySleep ? 0 : bounds.min,
      max: bounds.max,
      triggers: needsWake ? [trigger, triggerOf(settings, waking)] : [trigger],
    },
  };
}

interface Measuring {
  readonly metricName: string;
  readonly query: string;
  readonly threshold: string;
  readonly maySleep: boolean;
}

/**
 * `scalingOperator` is not in it. Copies are added while the value is above the threshold and taken away while it is below: both words
 * that the operator has say one side of that.
 */
function triggerOf(
  { promServerAddress, authenticationRef, authModes }: KedaSettings,
  measuring: Measuring,
): ScaleTrigger {
  const { metricName, query, threshold, maySleep } = measuring;
  return {
    type: "prometheus",
    metadata: {
      serverAddress: promServerAddress ?? defaultServer,
      metricName,
      query,
      threshold,
      ...(maySleep ? { activationThreshold: "0" } : {}),
      ...(authenticationRef !== undefined && authModes !== undefined ? { authModes } : {}),
    },
    ...(authenticationRef === undefined
      ? {}
      : {
          authentication: {
            kind: authenticationRef.kind ?? "TriggerAuthentication",
            name: authenticationRef.name,
          },
        }),
  };
}
