import type { PodPlan, RoleScaling, ServicePlan, WorkloadPlan } from "@trivium/domain";
import { annotateAdapters, planReplicas } from "@trivium/engines";
import type { api } from "@trivium/kube";
import { canonicalJson, sha256Hex } from "@trivium/std";
import { labels as keys } from "../../labels.ts";
import { labelValueOf } from "../../names.ts";
import { templateAnnotation } from "../names/labels.ts";
import { addressNameOf, containerName, type Service } from "../names/names.ts";
import { annotationsOf } from "../names/serving-labels.ts";
import type { ObservedDeployment } from "../observed/observed-service.ts";
import { containerOf, containerPort, imageOf, podOf } from "../pod/container.ts";
import { collectorAnnotations, lmCacheAnnotation } from "../pod/pod-annotations.ts";
import * as of from "../selection/template-facts.ts";
import { modelIdOf, sourcesOf } from "../weights/sources.ts";
import type { PlacedInput, ServerInput } from "./server-input.ts";

export const selectorOf = ({ metadata }: Service): Record<string, string> => ({
  [keys.serviceName]: labelValueOf(metadata.name ?? ""),
});

/** The same pods without KServe: what it would make of the plan above. */
export function planWorkload(
  input: PlacedInput,
  scaling: RoleScaling,
  live: ObservedDeployment | undefined,
): WorkloadPlan {
  const { service, kv, labels, replicas } = input;
  const container: api.Container = {
    name: containerName,
    image: imageOf(input),
    ...containerOf(input),
    ports: [{ name: "http", containerPort, protocol: "TCP" }],
    readinessProbe: { httpGet: { path: "/health", port: "http" }, periodSeconds: 5, failureThreshold: 3 },
    // Loading hundreds of gigabytes takes long.
    startupProbe: { httpGet: { path: "/health", port: "http" }, periodSeconds: 5, failureThreshold: 2160 },
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
  const pod: PodPlan = {
    labels,
    annotations: {
      ...(kv.is === "ready" ? { [lmCacheAnnotation]: kv.digest } : {}),
      ...(scaling.is === "keda" && scaling.collector ? collectorAnnotations(scaling.collector.name) : {}),
    },
    spec: { ...podOf(input), containers: [container] },
  };
  const template = sha256Hex(canonicalJson(pod)).slice(0, 16);
  return {
    name: addressNameOf(service),
    labels,
    annotations: annotationsOf(service),
    selector: selectorOf(service),
    pod: { ...pod, annotations: { ...pod.annotations, [templateAnnotation]: template } },
    replicas: planReplicas({ bounds: replicas, requested: replicas.min, live: live?.replicas }).current,
    update: of.gpuCountOf(input.template) > 0 ? "replace" : "roll",
  };
}

/** The address has KServe's name and port, so that routes are the same with and without it. */
export function planAddress({ service, template, labels, adapters }: ServerInput): ServicePlan {
  const names = sourcesOf(template).slice(0, 1).map(modelIdOf);
  const tuned = adapters.adapters.map(({ name }) => name);
  return {
    name: addressNameOf(service),
    labels,
    annotations: {
      "trivium.dev/models": [...names, service.metadata.name ?? ""].join(","),
      // Templates use vLLM or SGLang, whose servers list adapters by name.
      ...annotateAdapters(tuned, "vllm"),
    },
    selector: selectorOf(service),
    type: "ClusterIP",
    ports: [{ name: "http", port: 80, target: "http" }],
  };
}
