import type { Choice } from "@trivium/domain";
import { type Gate, type SelectionRules, select, summarizeSelection } from "@trivium/engines";
import type { GpuPlan, GpuVendor } from "../../hardware/gpu-plan.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import type { LlmkubeOptions } from "../../options.ts";
import type { Engine } from "../pod/engines/index.ts";

/** An image that the engine could run, and where it is named. */
export interface ImageCandidate {
  /** Nothing: no image is named there. */
  readonly image?: string | undefined;
  readonly from: "spec.image" | "--runtime-images" | "default";
  /** The GPU vendors that a default image is built for; nothing where it does not matter. */
  readonly vendors?: readonly (GpuVendor | "none")[];
}

export interface ImageRequest {
  readonly service: InferenceService;
  readonly model: Model;
  readonly engine: Engine;
  readonly gpu: GpuPlan;
  readonly options: LlmkubeOptions;
}

/** The image of the engine: what the service names, else what the operator sets for the runtime, else the default for the GPU. */
export function chooseImage(request: ImageRequest): Choice {
  const rules = rulesFor(request);
  const selection = select(imageCandidates(request), rules);
  const choice = summarizeSelection(selection, rules);
  return selection.is === "chosen" ? { ...choice, because: because(request, selection.best.candidate) } : choice;
}

function because({ service, gpu }: ImageRequest, { from }: ImageCandidate): string {
  if (from === "spec.image") return "set in spec.image";
  if (from === "--runtime-images") return "set in --runtime-images of the operator";
  const hardware = gpu.is === "none" || gpu.is === "faulty" ? "without a GPU" : `with ${gpu.vendor} GPUs`;
  return `the default of runtime ${service.spec.runtime ?? "llamacpp"} ${hardware}`;
}

const vendors = ["none", "nvidia", "amd", "intel"] as const;

/** Every image that could be meant; those of a default that differ by vendor one by one. */
function imageCandidates({ service, model, engine, options }: ImageRequest): ImageCandidate[] {
  const { image, runtime = "llamacpp" } = service.spec;
  const defaults = Map.groupBy(vendors, (vendor) => engine.image?.(vendor, model.spec));
  return [
    { image: image || undefined, from: "spec.image" },
    { image: options.images.runtimes[runtime] || undefined, from: "--runtime-images" },
    ...[...defaults].flatMap(([built, forVendors]): ImageCandidate[] =>
      built === undefined ? [] : [{ image: built, from: "default", vendors: forVendors }],
    ),
  ];
}

function rulesFor({ service, model, gpu }: ImageRequest): SelectionRules<ImageCandidate> {
  const { runtime = "llamacpp" } = service.spec;
  return {
    of: "image",
    nameOf: ({ image = "", from }) => `${from} ${image}`,
    show: ({ image, from }) => ({ name: image ?? from, scope: scopes[from] }),
    gates: [isNamed(runtime), suits(vendorOf(gpu), model.metadata.name ?? "")],
    ranks: [{ name: "named in", order: ["spec.image", "--runtime-images", "default"], read: ({ from }) => from }],
    ties: "first",
  };
}

const vendorOf = (gpu: GpuPlan): GpuVendor | "none" => (gpu.is === "none" || gpu.is === "faulty" ? "none" : gpu.vendor);

const scopes = { "spec.image": "service", "--runtime-images": "operator", default: "runtime" } as const;

const isNamed = (runtime: string): Gate<ImageCandidate> => ({
  name: "image",
  check: ({ image }) =>
    image === undefined ? { reason: "NotSet", actual: "not set", required: "an image" } : undefined,
  change: ({ from }) =>
    from === "spec.image" ? "set spec.image" : `set ${runtime}=<image> in ${from} of the operator`,
});

/** The image requires a GPU, and the service has one or not. */
const suits = (vendor: GpuVendor | "none", model: string): Gate<ImageCandidate> => ({
  name: "GPU",
  check: ({ vendors: built }) =>
    built === undefined || built.includes(vendor)
      ? undefined
      : { reason: "OtherVendor", actual: nameVendors([vendor]), required: nameVendors(built) },
  change: ({ vendors: [wanted = "none"] = [] }) => {
    if (wanted === "none") return `set spec.hardware.gpu.enabled: false in Model ${model}`;
    const enabled = vendor === "none" ? "spec.hardware.gpu.enabled: true and " : "";
    return `set ${enabled}spec.hardware.gpu.vendor: ${wanted} in Model ${model}`;
  },
});

const nameVendors = (built: readonly string[]): string =>
  built.map((vendor) => (vendor === "none" ? "no GPU" : vendor)).join(" or ");
