import {
  gatewayController,
  type RoleScaling,
  type ScaledPlan,
  type ScaleTrigger,
  type ScalingPlan,
} from "@trivium/domain";
import { planScaling as decideScaling } from "@trivium/engines";
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

export type PlannedScaling = RoleScaling | { readonly is: "faulty"; readonly why: string };

/** Who decides how many replicas there are, between which bounds and by what. */
export function planScaling(input: ScalingInput): PlannedScaling {
  const { service, spec, hasKeda, hasGateway, hasLeftover, measured } = input;
  const request = autoscalerClassOf(service, spec);
  if (request.is === "unknown")
    return {
      is: "faulty",
      why: `Autoscaler class ${request.word} is unknown; set ome.io/autoscalerClass to hpa, keda or external`,
    };
  const triggers = request.class === "keda" ? planTriggers(input) : undefined;
  if (triggers?.is === "faulty") return triggers;
  // KEDA asks Prometheus, and what is asked for must be collected there.
  const isCounted = triggers?.plan.triggers.some(({ metadata }) => isOfGateway(metadata.query ?? "")) === true;
  const missing = hasKeda ? withoutGateway(spec) : withoutKeda(request.by, spec);
  return decideScaling({
    scaler: request.class,
    hpa: planUtilization(input),
    keda: triggers,
    installed: { hasKeda, isElsewhere: false, hasFormer: hasLeftover, isMeasured: hasGateway || !isCounted },
    withoutKeda: `${measured.component} is not scaled: ${missing}`,
    instead: "nothing",
  });
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

const withoutKeda = (by: string, { scaleMetric }: ComponentSpec): string =>
  by === "metric"
    ? `metric ${scaleMetric} needs KEDA, which is not installed; install it, or scale by cpu or memory`
    : "KEDA is not installed; install it, or use the autoscaler class hpa";

function planUtilization(input: ScalingInput): ScalingPlan | { readonly why: string } {
  const { service, spec, bounds, target, labels, measured } = input;
  const metric = spec.scaleMetric ?? "cpu";
  if (metric !== "cpu" && metric !== "memory") {
    return {
      why: `${measured.component} is not scaled: metric ${metric} is not supported by the autoscaler class hpa; use keda`,
    };
  }
  const key = "ome.io/targetUtilizationPercentage";
  const written = Number(spec.annotations?.[key] ?? service.metadata.annotations?.[key]);
  const averageUtilization = Number.isInteger(written) && written > 0 ? written : (spec.scaleTarget ?? 80);
  const metrics = [
    { type: "Resource", resource: { name: metric, target: { type: "Utilization", averageUtilization } } },
  ];
  return { name: measured.object, labels, target, ...bounds, metrics };
}

/** KEDA makes an autoscaler of its own, `keda-hpa-` and this name, and refuses one of more than 63 characters. */
const scaledObjectNameOf = (object: string): string => `scaledobject-${keepEnd(object, 41)}`;

const defaultServer = "http://prometheus-operated.monitoring.svc.cluster.local:9090";

type PlannedTriggers =
  | { readonly is: "planned"; readonly plan: ScaledPlan }
  | { readonly is: "faulty"; readonly why: string };

function planTriggers(input: ScalingInput): PlannedTriggers {
  const { service, spec, bounds, target, labels, measured, defaults } = input;
  const settings = kedaSettingsOf(service, spec, defaults);
  const ofMetric = isOfRequests(spec) ? spec.scaleTarget : undefined;
  const threshold = String(ofMetric ?? settings.scalingThreshold ?? 10);
  if (!(Number(threshold) > 0))
    return {
      is: "faulty",
      why: `kedaConfig.scalingThreshold ${threshold} of ${measured.component} is not a number greater than 0; correct it`,
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
    is: "planned",
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
