import { type Container, type Job, Pod } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { nextPodNames } from "../pods/pod-name.ts";
import { isIgnored } from "./failure-policy.ts";
import type { ComingPod } from "./plan-pods.ts";
import { countOf, failureCountKey, ignoredCountKey, indexKey, trackingFinalizer } from "./pod-outcome.ts";

/** The pods that are to come, each with the finalizer that keeps it until it is counted. */
export function newPods(job: Job, there: readonly Pod[], coming: readonly ComingPod[]): Desired<Pod>[] {
  const { name = "", uid = "" } = job.metadata;
  const taken = new Set(there.map(({ metadata }) => metadata.name ?? ""));
  const plain = nextPodNames(name, uid, taken, coming.filter(({ index }) => index === undefined).length);
  return coming.map((one) => {
    const ofIndex = one.index === undefined ? [] : nextPodNames(`${name}-${one.index}`, uid, taken, 1);
    return desired(job, one, ofIndex[0] ?? plain.shift() ?? "");
  });
}

function desired(job: Job, coming: ComingPod, name: string): Desired<Pod> {
  const pod = podFromTemplate(job.spec?.template, { name, namespace: job.metadata.namespace });
  const finalizers = [...new Set([...(pod.metadata.finalizers ?? []), trackingFinalizer])];
  const tracked = { ...pod, metadata: { ...pod.metadata, finalizers } };
  return {
    kind: Pod,
    object: coming.index === undefined ? tracked : withIndex(job, tracked, { ...coming, index: coming.index }),
    createOnly: true,
    events: {
      made: { type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${name}` },
      failed: { type: "Warning", reason: "FailedCreate", message: "Error creating: " },
    },
  };
}

function withIndex(job: Job, pod: Pod, { index, replaces }: ComingPod & { index: number }): Pod {
  const { containers, initContainers } = pod.spec ?? { containers: [] };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: { ...pod.metadata.annotations, [indexKey]: `${index}`, ...failuresOf(job, replaces) },
      labels: { ...pod.metadata.labels, [indexKey]: `${index}` },
    },
    spec: {
      ...pod.spec,
      hostname: `${job.metadata.name}-${index}`,
      containers: containers.map(knowingItsIndex),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(knowingItsIndex) }),
    },
  };
}

function knowingItsIndex(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === "JOB_COMPLETION_INDEX")) return container;
  const fieldRef = { fieldPath: `metadata.labels['${indexKey}']` };
  return { ...container, env: [...env, { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef } }] };
}

function failuresOf(job: Job, replaces: Pod | undefined): Record<string, string> {
  if (job.spec?.backoffLimitPerIndex === undefined) return {};
  if (replaces === undefined) return { [failureCountKey]: "0" };
  const ignored = isIgnored(replaces, job);
  const failures = countOf(replaces, failureCountKey) + (ignored ? 0 : 1);
  const others = countOf(replaces, ignoredCountKey) + (ignored ? 1 : 0);
  return { [failureCountKey]: `${failures}`, ...(others > 0 ? { [ignoredCountKey]: `${others}` } : {}) };
}
