import type { api, Pod } from "@trivium/kube";
import { type FieldError, forbidden, invalid } from "@trivium/schema";
import { cloneJson, deepEqual } from "@trivium/std";
import { restore } from "../../checks/restore.ts";
import { immutable, invalidFor, qualifiedName } from "../../checks/values.ts";
import { checkTolerationsKept } from "../../pod-template/check-scheduling.ts";
import { checkPodSpec } from "../../pod-template/check-spec.ts";

export function checkPod(pod: Pod, old?: Pod): FieldError[] {
  const faults = [...checkPodSpec("spec", pod.spec), ...checkImages("spec.containers", pod.spec.containers)];
  return [...faults, ...(old === undefined ? checkNewPod(pod) : checkPodChange(pod, old))];
}

function checkNewPod({ spec }: Pod): FieldError[] {
  const faults: FieldError[] = [];
  if ((spec.ephemeralContainers ?? []).length > 0)
    faults.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    faults.push(forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  return faults;
}

function checkImages(at: string, containers: readonly api.Container[] = []): FieldError[] {
  return containers.flatMap(({ image = "" }, index) =>
    invalidFor(
      `${at}[${index}].image`,
      image,
      image.trim() === image ? [] : ["must not have leading or trailing whitespace"],
    ),
  );
}

const changeable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

/** A pod's spec is what its node runs: almost nothing of it may change. */
function checkPodChange(pod: Pod, old: Pod): FieldError[] {
  for (const kind of ["containers", "initContainers"] as const) {
    if ((pod.spec[kind] ?? []).length !== (old.spec[kind] ?? []).length) {
      return [forbidden(`spec.${kind}`, "pod updates may not add or remove containers")];
    }
  }
  const faults = [
    ...checkDeadline(pod.spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds),
    ...checkTolerationsKept("spec.tolerations", pod.spec.tolerations, old.spec.tolerations),
    ...checkGatesLeft(pod.spec.schedulingGates, old.spec.schedulingGates),
  ];
  if (deepEqual(withoutChangeable(pod.spec, old.spec), old.spec)) return faults;
  return [...faults, forbidden("spec", `pod updates may not change fields other than ${changeable}`)];
}

function checkDeadline(next: number | undefined, old: number | undefined): FieldError[] {
  const at = "spec.activeDeadlineSeconds";
  if (old === undefined) return [];
  if (next === undefined) return [invalid(at, null, "must not update from a positive integer to nil value")];
  return old < next ? [invalid(at, next, "must be less than or equal to previous value")] : [];
}

function checkGatesLeft(
  next: readonly api.PodSchedulingGate[] = [],
  old: readonly api.PodSchedulingGate[] = [],
): FieldError[] {
  const before = new Set(old.map((gate) => gate.name));
  return next.flatMap(({ name }, index) => {
    if (before.has(name)) return [];
    return [
      forbidden(
        `spec.schedulingGates[${index}].name`,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    ];
  });
}

/** The new spec with everything that may change set back to what it was. */
function withoutChangeable(next: api.PodSpec, old: api.PodSpec): api.PodSpec {
  const spec = cloneJson(next);
  for (const kind of ["containers", "initContainers"] as const) {
    for (const [index, container] of (spec[kind] ?? []).entries())
      restore(container, old[kind]?.[index] ?? { name: "" }, "image");
  }
  for (const field of ["activeDeadlineSeconds", "tolerations", "schedulingGates"] as const) restore(spec, old, field);
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) {
    restore(spec, old, "terminationGracePeriodSeconds");
  }
  if ((old.schedulingGates ?? []).length > 0) restore(spec, old, "nodeSelector");
  return spec;
}

export function checkPodStatus(pod: Pod, old: Pod): FieldError[] {
  const known = ["PodScheduled", "Ready", "Initialized"];
  const conditions = pod.status?.conditions ?? [];
  const moved = pod.spec.nodeName !== old.spec.nodeName;
  return [
    ...conditions.flatMap(({ type }, index) =>
      known.includes(type) ? [] : qualifiedName(`status.conditions[${index}].Type`, type),
    ),
    ...(moved ? [forbidden("status.nodeName", "may not be changed directly")] : []),
    ...immutable("status.qosClass", pod.status?.qosClass, old.status?.qosClass),
    ...checkRestarts(pod, old),
  ];
}

/** A container that ended for good does not start again. */
function checkRestarts(pod: Pod, old: Pod): FieldError[] {
  const policy = pod.spec.restartPolicy;
  if (policy === "Always") return [];
  const next = new Map((pod.status?.containerStatuses ?? []).map((status, index) => [status.name, { status, index }]));
  return (old.status?.containerStatuses ?? []).flatMap(({ name, state }) => {
    const ended = state?.terminated;
    if (ended === undefined || (policy === "OnFailure" && ended.exitCode !== 0)) return [];
    const now = next.get(name);
    if (now === undefined || now.status.state?.terminated !== undefined) return [];
    return [
      forbidden(`status.containerStatuses[${now.index}].state`, "may not be transitioned to non-terminated state"),
    ];
  });
}
