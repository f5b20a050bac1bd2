import { normalizeModel } from "@trivium/engines";
import { hardwareRequestOf } from "../../hardware/hardware-request.ts";
import type { ObservedTemplate } from "../observed/observed-service.ts";

/** What a template says of itself, whichever of its spellings and places says it. */
export const modelNameOf = ({ spec }: ObservedTemplate): string => spec.modelName ?? spec.aimImageName ?? "";
export const stateOf = ({ status }: ObservedTemplate): string => (status?.status as string | undefined) ?? "Pending";
/** Older objects say `Available`. */
export const isReady = (template: ObservedTemplate): boolean => ["Ready", "Available"].includes(stateOf(template));
export const metricOf = ({ spec, status }: ObservedTemplate): string | undefined =>
  status?.profile?.metadata?.metric ?? spec.metric;
export const precisionOf = ({ spec, status }: ObservedTemplate): string | undefined =>
  status?.profile?.metadata?.precision ?? spec.precision;
export const profileTypeOf = ({ spec, status }: ObservedTemplate): string | undefined =>
  status?.profile?.metadata?.type ?? spec.type;

/** An image that reports no engine is a vLLM one. */
export const engineOf = ({ status }: ObservedTemplate): string =>
  status?.profile?.metadata?.engine?.toLowerCase() ?? "vllm";

/** GPU models that will do; none means that any does, or that none is needed. */
export function gpuModelsOf({ spec, status }: ObservedTemplate): readonly string[] {
  const { models } = hardwareRequestOf(spec);
  const found = status?.profile?.metadata?.gpu;
  return models.length > 0 || !found ? models : [normalizeModel(found)];
}

/** GPUs of one replica. What discovery found out counts before what was asked for. */
export function gpuCountOf({ spec, status }: ObservedTemplate): number {
  const found = status?.resolvedHardware?.gpu?.requests ?? status?.profile?.metadata?.gpuCount;
  return found ?? hardwareRequestOf(spec).count ?? 0;
}

export const gpuResourceOf = ({ spec }: ObservedTemplate): string => hardwareRequestOf(spec).resourceName;
