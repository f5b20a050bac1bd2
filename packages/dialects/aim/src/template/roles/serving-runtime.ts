import type { KServeClusterServingRuntime, KServeServingRuntime } from "@trivium/kube";
import { labels } from "../../labels.ts";
import { labelValueOf } from "../../names.ts";
import type { Template } from "../../objects.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import type { DiscoveryPlan } from "../discovery/discovery-job.ts";

type ServingRuntime = KServeServingRuntime | KServeClusterServingRuntime;

interface RuntimePlan {
  readonly plan: DiscoveryPlan;
  readonly settings: Settings;
  readonly gpuCount: number;
  readonly resourceName: string;
  /** What the weights are called. */
  readonly modelId: string;
}

const servingPort = 8_000;

/** How KServe runs services of this template: the image, its port and its cards. Services add the rest. */
export function emitServingRuntime(
  template: Template,
  kind: { readonly group: string; readonly version: string; readonly kind: string },
  { plan, settings, gpuCount, resourceName, modelId }: RuntimePlan,
): ServingRuntime {
  const { name = "", labels: handed } = template.metadata;
  const gpus = gpuCount > 0 ? { [resourceName]: String(gpuCount) } : undefined;
  return {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: {
      name,
      labels: propagateLabels(settings, handed, {
        [labels.name]: "aim-runtime",
        [labels.component]: "serving-runtime",
        [labels.managedBy]: "aim-controller",
        [labels.modelId]: labelValueOf(modelId),
      }),
    },
    spec: {
      storageHelper: { disabled: true },
      supportedModelFormats: [{ name: "aim", version: "1" }],
      ...(plan.imagePullSecrets.length === 0 ? {} : { imagePullSecrets: [...plan.imagePullSecrets] }),
      containers: [
        {
          name: "kserve-container",
          image: plan.image,
          env: [{ name: "VLLM_ENABLE_METRICS", value: "true" }],
          ports: [{ name: "http", containerPort: servingPort, protocol: "TCP" }],
          ...(gpus === undefined ? {} : { resources: { requests: gpus, limits: gpus } }),
          volumeMounts: [{ name: "dshm", mountPath: "/dev/shm" }],
        },
      ],
      volumes: [{ name: "dshm", emptyDir: { medium: "Memory", sizeLimit: "8Gi" } }],
    },
  };
}
