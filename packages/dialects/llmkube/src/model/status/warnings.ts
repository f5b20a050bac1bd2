import { gpuCountOfModel } from "../../hardware/gpu-plan.ts";
import { planSharding } from "../../hardware/sharding.ts";
import type { Model } from "../../kinds/model.ts";
import { planFileSet } from "../../weights/file-set.ts";
import { chooseFiles, nameFiles } from "../../weights/repository-choice.ts";
import { sourceOf } from "../../weights/source.ts";
import type { ObservedModel } from "../observe.ts";
import { type FileFacts, faultOfFile } from "../weights/file-facts.ts";

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
  const isWhole = sourceOf(spec).is === "repository" && planFileSet(spec).is === "none";
  const isFolder = file?.is === "known" && file.value.is === "folder";
  if (isWhole) {
    const message =
      "spec.sha256 is not verified because the engine downloads the whole repository; set spec.files to a single file";
    return [{ reason: "DigestNotEnforced", message }];
  }
  return isFolder
    ? [
        {
          reason: "DigestNotEnforced",
          message: "spec.sha256 is not verified because the source is a directory; remove spec.sha256",
        },
      ]
    : [];
}

function otherQuantization({ spec }: Model, { gguf }: FileFacts): SpecWarning[] {
  const [reported, found] = [spec.quantization, gguf?.quantization];
  if (!reported || !found || reported.toUpperCase() === found.toUpperCase()) return [];
  return [{ reason: "QuantizationDiffers", message: `spec.quantization is ${reported}, but the file has ${found}` }];
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
  const message = `hardware.accelerator is ${accelerator}, but ${asked}, which takes precedence; make them agree`;
  return [{ reason: "AcceleratorDiffers", message }];
}

/** Engines that take a repository have no need of it; the others cannot choose. */
function severalFiles(model: Model, { listing }: ObservedModel): SpecWarning[] {
  const choice = chooseFiles(model, listing);
  if (choice.is !== "several") return [];
  const message = `The repository has several GGUF files: ${nameFiles(choice.candidates)}; set spec.files to one of them for llama.cpp`;
  return [{ reason: "FilesNeeded", message }];
}

/** The share of a machine is known only where a pod runs, so nothing can be made a limit of it before. */
function unboundFraction({ spec: { hardware } }: Model): SpecWarning[] {
  const { memoryFraction, memoryBudget, accelerator } = hardware ?? {};
  if (typeof memoryFraction !== "number" || memoryBudget || accelerator === "metal") return [];
  const message = `hardware.memoryFraction ${memoryFraction} is not a limit for pods; set hardware.memoryBudget`;
  return [{ reason: "MemoryFractionIgnored", message }];
}

function unreadableFile(observed: ObservedModel): SpecWarning[] {
  const why = faultOfFile(observed);
  return why === undefined
    ? []
    : [{ reason: "FileUnreadable", message: `Engines cannot read the file: ${why}; replace it` }];
}
