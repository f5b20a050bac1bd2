import type { JobPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import { cacheLabels } from "../../inference-service/weights/storage.ts";
import { evictionLabel, sharedCacheName } from "../../names.ts";
import type { LlmkubeOptions } from "../../options.ts";

export const evictionNameOf = (key: string): string => `llmkube-cache-evict-${key}`;

interface EvictionInput {
  readonly namespace: string;
  readonly key: string;
  readonly source: string | undefined;
  readonly resources: api.ResourceRequirements | undefined;
  readonly options: LlmkubeOptions;
}

/** A pod that deletes one directory of the shared cache, with the bytes that nothing else in the store uses. */
export function planEviction({ namespace, key, source, resources, options }: EvictionInput): JobPlan {
  const { fsGroup, images } = options;
  const labels = { ...cacheLabels, [evictionLabel]: key };
  const unfinished = source === undefined ? [] : ["--unfinished", source];
  const container: api.Container = {
    name: "cache-evictor",
    image: images.weights,
    args: ["remove", `/models/${key}`, "--store", "/models/.trivium", ...unfinished, "--json"],
    volumeMounts: [{ name: "model-cache", mountPath: "/models" }],
    ...(resources === undefined ? {} : { resources }),
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
  const spec: api.PodSpec = {
    containers: [container],
    volumes: [{ name: "model-cache", persistentVolumeClaim: { claimName: sharedCacheName } }],
    securityContext: {
      seccompProfile: { type: "RuntimeDefault" },
      ...(fsGroup === undefined || fsGroup <= 0 ? {} : { fsGroup }),
    },
  };
  return { name: evictionNameOf(key), namespace, labels, pod: { labels, spec }, retries: 3 };
}
