import type { api, ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "@trivium/kube";
import { type FieldError, forbidden, invalid, notSupported, required } from "@trivium/schema";
import type { Json } from "@trivium/std";
import { deepEqual } from "@trivium/std";
import { checkAnnotations, checkLabels, checkSelector, isEmptySelector, selects } from "../checks/labels.ts";
import {
  countOrPercent,
  dnsLabel,
  immutable,
  isZeroCount,
  nonNegative,
  notMoreThanWhole,
  oneOf,
} from "../checks/values.ts";
import { checkClaimSpec } from "../core/storage/check-claim-spec.ts";
import { checkPodTemplate } from "../pod-template/check-spec.ts";

export function checkDeployment({ spec }: Deployment, old?: Deployment): FieldError[] {
  const { progressDeadlineSeconds, minReadySeconds } = spec;
  const late = progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= (minReadySeconds ?? 0);
  return [
    ...nonNegative("spec.replicas", spec.replicas),
    ...checkOwnSelector(spec.selector, "deployment"),
    ...checkOwnTemplate(spec.selector, spec.template, "ReplicaSet"),
    ...checkStrategy("spec.strategy", spec.strategy ?? {}),
    ...nonNegative("spec.minReadySeconds", minReadySeconds),
    ...nonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
    ...nonNegative("spec.progressDeadlineSeconds", progressDeadlineSeconds),
    ...(late
      ? [invalid("spec.progressDeadlineSeconds", progressDeadlineSeconds, "must be greater than minReadySeconds")]
      : []),
    ...(old === undefined ? [] : immutable("spec.selector", spec.selector, old.spec.selector)),
  ];
}

/** Whoever owns pods by selector must name at least one label. */
function checkOwnSelector(selector: api.LabelSelector | undefined, kind: string): FieldError[] {
  if (selector === undefined) return [required("spec.selector")];
  const empty = isEmptySelector(selector)
    ? [invalid("spec.selector", selector as Json, `empty selector is invalid for ${kind}`)]
    : [];
  return [...checkSelector("spec.selector", selector), ...empty];
}

/** The pods of an owner are its own, live for ever, and are found by its selector. */
function checkOwnTemplate(
  selector: api.LabelSelector | undefined,
  template: api.PodTemplateSpec,
  kind: string,
): FieldError[] {
  if (selects(selector, {}) === undefined)
    return [invalid("spec.selector", selector as Json, "invalid label selector")];
  return [
    ...checkMatch(selector, template),
    ...checkPodTemplate("spec.template", template),
    ...checkForever(template, kind),
  ];
}

export function checkMatch(selector: api.LabelSelector | undefined, template: api.PodTemplateSpec): FieldError[] {
  if (selector !== undefined && isEmptySelector(selector)) return [];
  if (selects(selector, template.metadata?.labels) !== false) return [];
  const labels = template.metadata?.labels ?? null;
  return [invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")];
}

export function checkForever({ spec }: api.PodTemplateSpec, kind: string): FieldError[] {
  const at = "spec.template.spec";
  const policy = spec?.restartPolicy ?? "";
  return [
    ...(policy === "Always" ? [] : [notSupported(`${at}.restartPolicy`, policy, ["Always"])]),
    ...(spec?.activeDeadlineSeconds === undefined
      ? []
      : [forbidden(`${at}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

function checkStrategy(at: string, strategy: api.DeploymentStrategy): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === "Recreate") {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbidden(`${at}.rollingUpdate`, detail)];
  }
  if (type !== "RollingUpdate") return [notSupported(at, strategy as Json, ["Recreate", "RollingUpdate"])];
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const here = `${at}.rollingUpdate.maxUnavailable`;
  const stuck = isZeroCount(maxUnavailable) && isZeroCount(maxSurge);
  return [
    ...countOrPercent(here, maxUnavailable),
    ...countOrPercent(`${at}.rollingUpdate.maxSurge`, maxSurge),
    ...(stuck ? [invalid(here, maxUnavailable ?? 0, "may not be 0 when `maxSurge` is 0")] : []),
    ...notMoreThanWhole(here, maxUnavailable),
  ];
}

export function checkReplicaSet({ spec }: ReplicaSet, old?: ReplicaSet): FieldError[] {
  return [
    ...nonNegative("spec.replicas", spec.replicas),
    ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...checkOwnSelector(spec.selector, "deployment"),
    ...checkOwnTemplate(spec.selector, spec.template ?? {}, "ReplicaSet"),
    ...(old === undefined ? [] : immutable("spec.selector", spec.selector, old.spec.selector)),
  ];
}

export function checkDaemonSet({ spec }: DaemonSet, old?: DaemonSet): FieldError[] {
  const { selector } = spec;
  const matches = selects(selector, spec.template.metadata?.labels) !== false;
  const labels = spec.template.metadata?.labels ?? null;
  return [
    ...(old === undefined ? [] : immutable("spec.selector", selector, old.spec.selector)),
    ...checkSelector("spec.selector", selector),
    ...(matches
      ? []
      : [invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")]),
    ...(selector && isEmptySelector(selector)
      ? [invalid("spec.selector", selector as Json, "empty selector is invalid for daemonset")]
      : []),
    ...checkPodTemplate("spec.template", spec.template),
    ...checkForever(spec.template, "DaemonSet"),
    ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...checkDaemonStrategy("spec.updateStrategy", spec.updateStrategy ?? {}),
    ...nonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
  ];
}

function checkDaemonStrategy(at: string, strategy: api.DaemonSetUpdateStrategy): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") return [notSupported(at, strategy as Json, ["RollingUpdate", "OnDelete"])];
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const [unavailable, surge] = [!isZeroCount(maxUnavailable), !isZeroCount(maxSurge)];
  const [here, there] = [`${at}.rollingUpdate.maxUnavailable`, `${at}.rollingUpdate.maxSurge`];
  return [
    ...countOrPercent(here, maxUnavailable),
    ...countOrPercent(there, maxSurge),
    ...notMoreThanWhole(here, maxUnavailable),
    ...notMoreThanWhole(there, maxSurge),
    ...(unavailable && surge ? [invalid(there, maxSurge ?? 0, "may not be set when maxUnavailable is non-zero")] : []),
    ...(unavailable || surge ? [] : [required(here, "cannot be 0 when maxSurge is 0")]),
  ];
}

export function checkStatefulSet({ spec }: StatefulSet, old?: StatefulSet): FieldError[] {
  const { podManagementPolicy, serviceName, selector } = spec;
  const isKnown = podManagementPolicy === "OrderedReady" || podManagementPolicy === "Parallel";
  return [
    ...(isKnown
      ? []
      : [invalid("spec.podManagementPolicy", podManagementPolicy ?? "", "must be 'OrderedReady' or 'Parallel'")]),
    ...checkStatefulStrategy("spec.updateStrategy", spec.updateStrategy ?? {}),
    ...checkRetention("spec.persistentVolumeClaimRetentionPolicy", spec.persistentVolumeClaimRetentionPolicy),
    ...(old === undefined ? checkClaimTemplates(spec.volumeClaimTemplates ?? []) : []),
    ...nonNegative("spec.replicas", spec.replicas),
    ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...nonNegative("spec.ordinals.start", spec.ordinals?.start),
    ...(serviceName && old === undefined ? dnsLabel("spec.serviceName", serviceName) : []),
    ...checkOwnSelector(selector, "statefulset"),
    ...checkStatefulTemplate(spec),
    ...(old === undefined ? [] : checkStatefulChange(spec, old.spec)),
  ];
}

function checkStatefulStrategy(at: string, strategy: api.StatefulSetUpdateStrategy): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    return rollingUpdate === undefined ? [] : [invalid(`${at}.rollingUpdate`, rollingUpdate as Json, detail)];
  }
  if (type !== "RollingUpdate") return [invalid(at, strategy as Json, "must be 'RollingUpdate' or 'OnDelete'")];
  return [
    ...nonNegative(`${at}.rollingUpdate.partition`, rollingUpdate?.partition),
    ...countOrPercent(`${at}.rollingUpdate.maxUnavailable`, rollingUpdate?.maxUnavailable),
  ];
}

function checkRetention(
  at: string,
  policy: api.StatefulSetPersistentVolumeClaimRetentionPolicy | undefined,
): FieldError[] {
  return [
    ...oneOf(`${at}.whenDeleted`, policy?.whenDeleted, ["Retain", "Delete"]),
    ...oneOf(`${at}.whenScaled`, policy?.whenScaled, ["Retain", "Delete"]),
  ];
}

function checkClaimTemplates(claims: readonly api.PersistentVolumeClaim[]): FieldError[] {
  return claims.flatMap((claim, index) => checkClaimSpec(`spec.volumeClaimTemplates[${index}].spec`, claim.spec));
}

/** The claims of a stateful set are volumes of its pods, under their own names. */
function checkStatefulTemplate(spec: api.StatefulSetSpec): FieldError[] {
  const { template } = spec;
  const { subdomain: _, hostname: __, ...pod } = template.spec ?? { containers: [] };
  const claims = [...new Set((spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata.name ?? ""))];
  const own = claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const volumes = [...own, ...(pod.volumes ?? []).filter((volume) => !claims.includes(volume.name))];
  return [
    ...checkMatch(spec.selector, template),
    ...checkPodTemplate("spec.template", { ...template, spec: { ...pod, volumes } }),
    ...checkLabels("spec.template.labels", template.metadata?.labels),
    ...checkAnnotations("spec.template.annotations", template.metadata?.annotations),
    ...checkForever(template, "StatefulSet"),
  ];
}

const changeable = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
] as const;

function checkStatefulChange(spec: api.StatefulSetSpec, old: api.StatefulSetSpec): FieldError[] {
  const fixed = (one: api.StatefulSetSpec) => ({
    ...one,
    ...Object.fromEntries(changeable.map((field) => [field, undefined])),
  });
  if (deepEqual(fixed(spec), fixed(old))) return [];
  const allowed =
    "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'";
  return [forbidden("spec", `updates to statefulset spec for fields other than ${allowed} are forbidden`)];
}

export function checkControllerRevision(
  { data, revision }: ControllerRevision,
  old?: ControllerRevision,
): FieldError[] {
  return [
    ...nonNegative("revision", revision),
    ...(data === undefined && old === undefined ? [required("data", "data is mandatory")] : []),
    ...(old === undefined ? [] : immutable("data", data, old.data)),
  ];
}
