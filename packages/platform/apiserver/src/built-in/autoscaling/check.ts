import type { api, HorizontalPodAutoscaler, PodDisruptionBudget } from "@trivium/kube";
import { type FieldError, forbidden, invalid, notSupported, required } from "@trivium/schema";
import { getOwn, type Json } from "@trivium/std";
import { faultsOfPathSegment } from "../access/check.ts";
import { checkSelector } from "../checks/labels.ts";
import { countOrPercent, invalidFor, nonNegative, notMoreThanWhole, oneOf } from "../checks/values.ts";

export function checkAutoscaler({ spec }: HorizontalPodAutoscaler): FieldError[] {
  const { minReplicas, maxReplicas = 0, scaleTargetRef } = spec;
  const at = "spec.maxReplicas";
  return [
    ...(minReplicas !== undefined && minReplicas < 1
      ? [invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 1")]
      : []),
    ...(maxReplicas === 0 ? [required(at, "must be set and greater than 0")] : []),
    ...(maxReplicas < 0 ? [invalid(at, maxReplicas, "must be greater than or equal to 1")] : []),
    ...(minReplicas !== undefined && maxReplicas < minReplicas
      ? [invalid(at, maxReplicas, "must be greater than or equal to `minReplicas`")]
      : []),
    ...pathSegment("spec.scaleTargetRef.kind", scaleTargetRef?.kind ?? ""),
    ...pathSegment("spec.scaleTargetRef.name", scaleTargetRef?.name ?? ""),
    ...checkTargetVersion("spec.scaleTargetRef.apiVersion", scaleTargetRef),
    ...(spec.metrics ?? []).flatMap((metric, index) => checkMetric(`spec.metrics[${index}]`, metric)),
    ...checkScaleToZero(spec),
    ...checkBehavior("spec.behavior", spec.behavior),
  ];
}

const pathSegment = (at: string, name: string, detail = ""): FieldError[] =>
  name === "" ? [required(at, detail)] : invalidFor(at, name, faultsOfPathSegment(name));

/** With no pods left only something outside them can tell that there is work again. */
function checkScaleToZero({ minReplicas, metrics }: api.HorizontalPodAutoscalerSpec): FieldError[] {
  const seesOutside = (metrics ?? []).some(({ type }) => type === "Object" || type === "External");
  if (minReplicas !== 0 || seesOutside) return [];
  return [
    forbidden(
      "spec.metrics",
      "must specify at least one Object or External metric to support scaling to zero replicas",
    ),
  ];
}

/** Everything that can be scaled lives in a group, but for one old kind. */
function checkTargetVersion(at: string, ref: api.CrossVersionObjectReference | undefined): FieldError[] {
  const version = ref?.apiVersion ?? "";
  if (version.includes("/") || (version === "v1" && ref?.kind === "ReplicationController")) return [];
  return [invalid(at, version, "apiVersion must specify API group")];
}

const sources: Readonly<Record<string, keyof api.MetricSpec>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

function checkMetric(at: string, metric: api.MetricSpec): FieldError[] {
  const expected = getOwn(sources, metric.type);
  if (expected === undefined) {
    const missing = metric.type ? [] : [required(`${at}.type`, "must specify a metric source type")];
    return [...missing, notSupported(`${at}.type`, metric.type, Object.keys(sources))];
  }
  const source = metric[expected] as
    | { target?: api.MetricTarget; name?: string; metric?: api.MetricIdentifier }
    | undefined;
  if (source === undefined)
    return [required(`${at}.${expected}`, "must populate information for the given metric source")];
  const others = Object.values(sources).filter((name) => name !== expected && metric[name] !== undefined);
  return [
    ...checkSource(`${at}.${expected}`, metric.type, source),
    ...others.map((name) => forbidden(`${at}.${name}`, "must populate the given metric source only")),
  ];
}

interface Source {
  readonly target?: api.MetricTarget;
  readonly name?: string;
  readonly metric?: api.MetricIdentifier;
}

function checkSource(at: string, type: string, { target, name, metric }: Source): FieldError[] {
  const faults = checkTarget(`${at}.target`, target);
  const { averageUtilization, averageValue, value } = target ?? {};
  if (type === "Resource" || type === "ContainerResource") {
    if (!name) faults.unshift(required(`${at}.name`, "must specify a resource name"));
    if (averageUtilization === undefined && averageValue === undefined) {
      faults.push(
        required(`${at}.target.averageUtilization`, "must set either a target raw value or a target utilization"),
      );
    }
    if (averageUtilization !== undefined && averageValue !== undefined) {
      faults.push(
        forbidden(`${at}.target.averageValue`, "may not set both a target raw value and a target utilization"),
      );
    }
    return faults;
  }
  faults.unshift(...pathSegment(`${at}.metric.name`, metric?.name ?? "", "must specify a metric name"));
  if (type === "Pods" && averageValue === undefined) {
    faults.push(required(`${at}.target.averageValue`, "must specify a positive target averageValue"));
  }
  if (type !== "Pods" && averageValue === undefined && value === undefined) {
    faults.push(required(`${at}.target.averageValue`, "must set either a target value or averageValue"));
  }
  return faults;
}

function checkTarget(at: string, target: api.MetricTarget | undefined): FieldError[] {
  const type = target?.type ?? "";
  const faults = type === "" ? [required(`${at}.type`, "must specify a metric target type")] : [];
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    faults.push(invalid(`${at}.type`, type, "must be either Utilization, Value, or AverageValue"));
  }
  const utilization = target?.averageUtilization;
  if (utilization !== undefined && utilization < 1) {
    faults.push(invalid(`${at}.averageUtilization`, utilization, "must be greater than 0"));
  }
  return faults;
}

const longestCalm = 3600;

function checkCalm(at: string, seconds: number | undefined): FieldError[] {
  const isLong = seconds !== undefined && seconds > longestCalm;
  return isLong ? [invalid(at, seconds, `must be less than or equal to ${longestCalm}`)] : nonNegative(at, seconds);
}

const longestPeriod = 1800;

function checkPeriod(at: string, seconds: number): FieldError[] {
  if (seconds <= 0) return [invalid(at, seconds, "must be greater than zero")];
  return seconds > longestPeriod ? [invalid(at, seconds, `must be less than or equal to ${longestPeriod}`)] : [];
}

function checkBehavior(at: string, behavior: api.HorizontalPodAutoscalerBehavior | undefined): FieldError[] {
  return (["scaleUp", "scaleDown"] as const).flatMap((side) => {
    const rules = behavior?.[side];
    if (rules === undefined) return [];
    const here = `${at}.${side}`;
    return [
      ...checkCalm(`${here}.stabilizationWindowSeconds`, rules.stabilizationWindowSeconds),
      ...oneOf(`${here}.selectPolicy`, rules.selectPolicy, ["Disabled", "Max", "Min"]),
      ...((rules.policies ?? []).length === 0
        ? [required(`${here}.policies`, "must specify at least one Policy")]
        : []),
      ...(rules.policies ?? []).flatMap(({ type, value, periodSeconds }, index) => [
        ...oneOf(`${here}.policies[${index}].type`, type, ["Percent", "Pods"]),
        ...(value <= 0 ? [invalid(`${here}.policies[${index}].value`, value, "must be greater than zero")] : []),
        ...checkPeriod(`${here}.policies[${index}].periodSeconds`, periodSeconds),
      ]),
    ];
  });
}

export function checkDisruptionBudget({ spec }: PodDisruptionBudget): FieldError[] {
  const { minAvailable, maxUnavailable } = spec;
  const both = minAvailable !== undefined && maxUnavailable !== undefined;
  return [
    ...(both ? [invalid("spec", spec as Json, "minAvailable and maxUnavailable cannot be both set")] : []),
    ...countOrPercent("spec.minAvailable", minAvailable),
    ...notMoreThanWhole("spec.minAvailable", minAvailable),
    ...countOrPercent("spec.maxUnavailable", maxUnavailable),
    ...notMoreThanWhole("spec.maxUnavailable", maxUnavailable),
    ...checkSelector("spec.selector", spec.selector),
    ...oneOf("spec.unhealthyPodEvictionPolicy", spec.unhealthyPodEvictionPolicy, ["AlwaysAllow", "IfHealthyBudget"]),
  ];
}
