import type { Template } from "../objects.ts";
import { defaultResource, type Hardware } from "./hardware-request.ts";

/** GPUs and processors that a template asks for, in its two spellings. */
type HardwareSpec = Pick<Template["spec"], "gpuSelector" | "hardware">;

/** The base with what a service changes of it: what it does not name stays, in whichever spelling either of them is written. */
export function overrideHardware(base: HardwareSpec, changes: HardwareSpec): HardwareSpec {
  const { gpuSelector, hardware } = changes;
  if (gpuSelector === undefined && hardware === undefined) return base;
  if (base.hardware !== undefined || hardware !== undefined) {
    const merged = mergeHardware(asHardware(base), asHardware(changes));
    return merged === undefined ? {} : { hardware: merged };
  }
  return { gpuSelector: withResource(base.gpuSelector, { ...base.gpuSelector, ...gpuSelector }) };
}

/** The newer spelling of both. */
function asHardware({ gpuSelector, hardware }: HardwareSpec): Hardware | undefined {
  if (gpuSelector === undefined) return hardware;
  const { count, model, resourceName } = gpuSelector;
  const gpu = {
    ...(count === undefined ? {} : { requests: count }),
    ...(model === undefined ? {} : { model }),
    ...(resourceName === undefined ? {} : { resourceName }),
    ...hardware?.gpu,
  };
  return { ...hardware, gpu };
}

function mergeHardware(base: Hardware | undefined, changes: Hardware | undefined): Hardware | undefined {
  if (base === undefined || changes === undefined) return changes ?? base;
  const gpu = mergeGpu(base.gpu, changes.gpu);
  const cpu = changes.cpu ?? base.cpu;
  return { ...(gpu === undefined ? {} : { gpu }), ...(cpu === undefined ? {} : { cpu }) };
}

type Gpu = NonNullable<Hardware["gpu"]>;

function mergeGpu(base: Gpu | undefined, changes: Gpu | undefined): Gpu | undefined {
  if (base === undefined || changes === undefined) return changes ?? base;
  const namesModels = changes.model !== undefined || changes.models !== undefined;
  // Which cards will do is one thing with two spellings, and with its least memory: naming others leaves nothing of it.
  const { model: _, models: __, minVram: ___, ...rest } = base;
  return withResource(base, { ...(namesModels ? rest : base), ...changes });
}

/** The usual name is filled in where nobody says one, so it does not replace another. */
function withResource<T extends { resourceName?: string | undefined }>(base: T | undefined, merged: T): T {
  const isFilledIn = merged.resourceName === undefined || merged.resourceName === defaultResource;
  return isFilledIn && base?.resourceName !== undefined ? { ...merged, resourceName: base.resourceName } : merged;
}
