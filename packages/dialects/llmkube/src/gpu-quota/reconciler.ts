import { Namespace } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { GPUQuota } from "../kinds/gpu-quota.ts";
import type { LlmkubeOptions } from "../options.ts";
import { lowerQuotas } from "./lower.ts";
import { type ObservedQuotas, observeQuotas, quotaReads } from "./observe.ts";
import { raiseQuotas } from "./raise.ts";

/**
 * Which services get GPUs where GPUQuotas limit them, decided for all of them in one pass: two services that each see the last free GPU
 * would both use it. A service waits until its status has the decision about its spec.
 */
export const quotaReconciler = (
  options: LlmkubeOptions,
): Reconciler<Namespace, ObservedQuotas, (typeof quotaReads)[number]> => ({
  name: "llmkube.gpu-quota",
  kind: Namespace,
  keepsStatus: true,
  only: { name: "kube-system" },
  reads: quotaReads,
  writes: [],
  patches: [{ kind: GPUQuota, verbs: ["status"] }],
  observe: (_, reader) => observeQuotas(reader),
  decide({ status }, observed, now) {
    const patches = raiseQuotas(observed, lowerQuotas(observed, options), now);
    return { do: "converge", children: [], patches, status: status ?? {} };
  },
});
