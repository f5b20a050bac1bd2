import { normalizeModel } from "@trivium/engines";
import { once } from "@trivium/std";
import type { Template } from "../objects.ts";

type Spec = Pick<Template["spec"], "gpuSelector" | "hardware">;
export type Hardware = NonNullable<Spec["hardware"]>;

export const defaultResource = "amd.com/gpu";

/** What a replica needs, whichever spelling it was asked for in. */
export interface HardwareRequest {
  /** Nothing where nobody said: then whoever looks into the image finds out. */
  readonly count?: number;
  /** Normalised; any will do. Empty: all do. */
  readonly models: readonly string[];
  readonly minVram?: string;
  readonly resourceName: string;
  readonly cpu?: NonNullable<Hardware["cpu"]>;
}

/** A pass asks for it many times: of each template, for each check. */
export const hardwareRequestOf: (spec: Spec) => HardwareRequest = once(evaluate);

function evaluate({ gpuSelector, hardware }: Spec): HardwareRequest {
  const gpu = hardware?.gpu;
  const count = gpu?.requests ?? gpuSelector?.count;
  const named = [...(gpu?.models ?? []), gpu?.model, gpuSelector?.model].flatMap((name) =>
    name?.trim() ? [normalizeModel(name)] : [],
  );
  return {
    ...(count === undefined ? {} : { count }),
    models: [...new Set(named)],
    ...(gpu?.minVram === undefined ? {} : { minVram: String(gpu.minVram) }),
    resourceName: gpu?.resourceName || gpuSelector?.resourceName || defaultResource,
    ...(hardware?.cpu === undefined ? {} : { cpu: hardware.cpu }),
  };
}

/** Whether it matters which nodes there are. */
export const asksForGpus = ({ models, minVram, count }: HardwareRequest): boolean =>
  count !== 0 && (models.length > 0 || minVram !== undefined || count !== undefined);

/** Whether any card will do, if there are enough of them. */
export const asksByCountAlone = (request: HardwareRequest): boolean =>
  asksForGpus(request) && request.models.length === 0 && request.minVram === undefined;

/** `2 x MI300X`, `1 x MI300X or MI325X`, `CPU`. */
export function summarizeHardware({ count, models, minVram, cpu }: HardwareRequest): string {
  const hasGpu = count === undefined ? models.length > 0 || minVram !== undefined : count > 0;
  if (!hasGpu) return cpu === undefined && count === undefined ? "" : "CPU";
  const name = models.length > 0 ? models.join(" or ") : "GPU";
  return `${count ?? 1} x ${name}${minVram === undefined ? "" : ` with ${minVram}`}`;
}
