import { gpuCountOfModel } from "../hardware/gpu-plan.ts";
import { planSharding } from "../hardware/sharding.ts";
import type { Model } from "../kinds/model.ts";
import { planFileSet } from "../weights/file-set.ts";
import { parseSource } from "../weights/source.ts";

/** A wish that is taken, but not as it was written. */
export interface SpecWarning {
  readonly reason: "PipelineFallback" | "LayerSplitIgnored" | "DigestNotEnforced" | "QuantizationDiffers";
  readonly message: string;
}

export function warningsOf(model: Model, quantization: string | undefined): SpecWarning[] {
  const { spec } = model;
  const warnings: SpecWarning[] = [...(planSharding(model, gpuCountOfModel(model))?.warnings ?? [])];
  const isRepository = parseSource(spec.source).is === "repository";
  if (spec.sha256 && isRepository && planFileSet(spec).is === "none") {
    const message = "spec.sha256 is not checked: engines fetch the repository themselves; name the file in spec.files";
    warnings.push({ reason: "DigestNotEnforced", message });
  }
  if (
    spec.quantization &&
    quantization !== undefined &&
    spec.quantization.toUpperCase() !== quantization.toUpperCase()
  ) {
    const message = `spec.quantization says ${spec.quantization}, and the file is ${quantization}`;
    warnings.push({ reason: "QuantizationDiffers", message });
  }
  return warnings;
}
