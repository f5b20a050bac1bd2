import { gpuCountOfModel } from "../hardware/gpu-plan.ts";
import { planSharding } from "../hardware/sharding.ts";
import type { Model } from "../kinds/model.ts";
import { planFileSet } from "../weights/file-set.ts";
import { chooseFiles, nameFiles } from "../weights/repository-choice.ts";
import { parseSource } from "../weights/source.ts";
import { type FileFacts, faultOfFile } from "./file-facts.ts";
import type { ObservedModel } from "./observe.ts";

/** A wish that is taken, but not as it was written. */
export interface SpecWarning {
  readonly reason:
    | "PipelineFallback"
    | "LayerSplitIgnored"
    | "DigestNotEnforced"
    | "QuantizationDiffers"
    | "FileUnreadable"
    | "AcceleratorDiffers"
    | "MemoryFractionIgnored"
    | "FilesNeeded";
  readonly message: string;
}

export function warningsOf(
  model: Model,
  { file, observed }: { file: FileFacts; observed: ObservedModel },
): SpecWarning[] {
  return [
    ...(planSharding(model, gpuCountOfModel(model))?.warnings ?? []),
    ...unenforced(model, observed),
    ...otherQuantization(model, file),
    ...otherAccelerator(model),
    ...unreadableFile(observed),
    ...unboundFraction(model),
    ...severalFiles(model, observed),
  ];
}

function unenforced({ spec }: Model, { file }: ObservedModel): SpecWarning[] {
  if (!spec.sha256) return [];
  const isWhole = parseSource(spec.source).is === "repository" && planFileSet(spec).is === "none";
  const isFolder = file?.is === "known" && file.value.is === "folder";
  if (isWhole) {
    const message = "spec.sha256 is not checked: engines fetch the repository themselves; name the file in spec.files";
    return [{ reason: "DigestNotEnforced", message }];
  }
  return isFolder
    ? [{ reason: "DigestNotEnforced", message: "spec.sha256 is not checked: it is of one file, and this is a folder" }]
    : [];
}

function otherQuantization({ spec }: Model, { gguf }: FileFacts): SpecWarning[] {
  const [reported, found] = [spec.quantization, gguf?.quantization];
  if (!reported || !found || reported.toUpperCase() === found.toUpperCase()) return [];
  return [{ reason: "QuantizationDiffers", message: `spec.quantization says ${reported}, and the file is ${found}` }];
}

const vendorOf: Readonly<Record<string, readonly string[]>> = {
  cuda: ["nvidia"],
  rocm: ["amd"],
  intel: ["intel"],
  vulkan: ["amd", "intel"],
};

/** Pods follow the vendor; what is looked for in the cluster follows the accelerator. */
function otherAccelerator(model: Model): SpecWarning[] {
  const { accelerator = "cpu", gpu } = model.spec.hardware ?? {};
  const vendors = vendorOf[accelerator];
  if (!gpu || vendors === undefined || gpuCountOfModel(model) === 0) return [];
  const vendor = gpu.vendor ?? "nvidia";
  const isOtherBackend = accelerator === "vulkan" && vendor === "amd" && gpu.runtime === "rocm";
  if (vendors.includes(vendor) && !isOtherBackend) return [];
  const asked = isOtherBackend ? "gpu.runtime is rocm" : `gpu.vendor is ${vendor}`;
  const message = `hardware.accelerator is ${accelerator} and ${asked}: pods follow the second; make them agree`;
  return [{ reason: "AcceleratorDiffers", message }];
}

/** Engines that take a repository have no need of it; the others cannot choose. */
function severalFiles(model: Model, { listing }: ObservedModel): SpecWarning[] {
  const choice = chooseFiles(model, listing);
  if (choice.is !== "several") return [];
  const message = `The repository has several GGUF files: ${nameFiles(choice.candidates)}; name one in spec.files for llama.cpp`;
  return [{ reason: "FilesNeeded", message }];
}

/** The share of a machine is known only where a pod runs, so nothing can be made a limit of it before. */
function unboundFraction({ spec: { hardware } }: Model): SpecWarning[] {
  const { memoryFraction, memoryBudget, accelerator } = hardware ?? {};
  if (typeof memoryFraction !== "number" || memoryBudget || accelerator === "metal") return [];
  const message = `hardware.memoryFraction ${memoryFraction} bounds only what is said to fit, and the Metal agent; set hardware.memoryBudget for a limit on pods`;
  return [{ reason: "MemoryFractionIgnored", message }];
}

function unreadableFile(observed: ObservedModel): SpecWarning[] {
  const why = faultOfFile(observed);
  return why === undefined
    ? []
    : [{ reason: "FileUnreadable", message: `Engines will not read this file: ${why}; replace it` }];
}
