import type { DecidedCondition } from "@trivium/kube";
import { formatTime, type Instant } from "@trivium/std";
import type { LoRAAdapter } from "../kinds/lora-adapter.ts";
import type { LoweredAdapter } from "./lower.ts";

type AdapterStatus = NonNullable<LoRAAdapter["status"]>;

export function raiseAdapter(adapter: LoRAAdapter, lowered: LoweredAdapter, now: Instant): AdapterStatus {
  const { metadata, spec, status } = adapter;
  const { generation } = metadata;
  const conditions = conditionsOf(adapter, lowered).map((one) => ({
    ...one,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  })) as NonNullable<AdapterStatus["conditions"]>;
  if (lowered.is !== "loaded") return { conditions };
  const wasLoaded = status?.loadedPath === spec.path && status.lastLoadedAt !== undefined;
  return { conditions, loadedPath: spec.path, lastLoadedAt: wasLoaded ? status.lastLoadedAt : formatTime(now) };
}

function conditionsOf({ spec }: LoRAAdapter, lowered: LoweredAdapter): DecidedCondition[] {
  const { name } = spec.inferenceServiceRef;
  if (lowered.is === "refused") {
    const { reason, message } = lowered;
    return [
      { type: "Available", status: "False", reason, message },
      { type: "Loaded", status: "False", reason, message },
    ];
  }
  const accepted = `InferenceService ${name} serves adapter ${spec.name}`;
  const loaded: DecidedCondition =
    lowered.is === "loaded"
      ? { type: "Loaded", status: "True", reason: "Loaded", message: `Loaded from ${spec.path}` }
      : {
          type: "Loaded",
          status: "False",
          reason: "RollingOut",
          message: `Waiting until all pods of InferenceService ${name} have the adapter and are ready`,
        };
  return [{ type: "Available", status: "True", reason: "AdapterAccepted", message: accepted }, loaded];
}
