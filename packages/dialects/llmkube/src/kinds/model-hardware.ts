import { bool, int32, list, num, obj, oneOf, opt, str } from "@trivium/schema";
import { maybe } from "./nullable.ts";

/** The form of an extended resource name, and of the taints that device plugins put on nodes. */
const RESOURCE_NAME = "^[a-z0-9.\\-]+/[a-z0-9._\\-]+$";

const Sharding = obj("How the model is split among GPUs if `count` is greater than 1; ignored for a single GPU", {
  strategy: opt(
    oneOf(
      "Split strategy: `layer` assigns whole layers to each GPU; `tensor` (or `row`) splits every tensor across all GPUs; `none` uses one GPU; `pipeline` is accepted with a warning and works like `layer`",
      ["layer", "tensor", "row", "pipeline", "none"],
      { default: "layer" },
    ),
  ),
  layerSplit: maybe(
    list(
      "Layers of each GPU, in order, as inclusive ranges: `0-15`, `16-31` for two GPUs and 32 layers. If empty, the layers are split evenly",
      str(""),
    ),
  ),
});

const ResourceClaim = obj("Resource claim of the pod: an existing ResourceClaim, or a ResourceClaimTemplate", {
  name: str("Name of the claim in the pod: a DNS label, unique among the claims"),
  resourceClaimName: maybe(str("Existing ResourceClaim in the namespace of the Model")),
  resourceClaimTemplateName: maybe(
    str(
      "ResourceClaimTemplate in the namespace of the Model; each pod gets its own claim, which is deleted with the pod",
    ),
  ),
});

const Gpu = obj(
  "GPU requirements of each replica",
  {
    enabled: maybe(
      bool(
        "Enables GPU use. If enabled without a `count`, one GPU is requested; if disabled, none is, regardless of `count`",
      ),
    ),
    count: maybe(int32("Number of GPUs for each replica", { minimum: 0, maximum: 8 })),
    memory: maybe(str("Minimum memory of each GPU, as a quantity such as `16Gi`")),
    vendor: opt(
      oneOf(
        "GPU vendor; determines the requested resource, the engine image and the toleration",
        ["nvidia", "amd", "intel"],
        {
          default: "nvidia",
        },
      ),
    ),
    runtime: opt(
      oneOf(
        "Compute backend of llama.cpp on AMD GPUs; other vendors and engines ignore it. `vulkan` uses the Vulkan image and requests `devic.es/dri-render`; the render group must then be granted in `podSecurityContext.supplementalGroups` of the InferenceService. `rocm`, the default, requests `amd.com/gpu`",
        ["vulkan", "rocm"],
        { nullable: true },
      ),
    ),
    layers: maybe(int32("Number of layers to offload to the GPU; -1 offloads as many as fit", { minimum: -1 })),
    sharding: maybe(Sharding),
    resourceName: maybe(
      str(
        "Extended resource to request instead of the vendor's (`nvidia.com/gpu`, `amd.com/gpu`, `gpu.intel.com/i915`): a MIG slice, or a resource of another device plugin. Cannot be combined with `resourceClaims`",
        { pattern: RESOURCE_NAME },
      ),
    ),
    tolerationKey: maybe(
      str("Taint key that GPU pods tolerate; defaults to the name of the requested resource", {
        pattern: RESOURCE_NAME,
      }),
    ),
    resourceClaims: maybe(
      list(
        "Devices to request through dynamic resource allocation (`resource.k8s.io/v1`) instead of an extended resource. Cannot be combined with `resourceName`",
        ResourceClaim,
        {
          maxItems: 16,
          rules: [
            {
              rule: "self.size() == 0 || self.all(c, (has(c.resourceClaimName) && !has(c.resourceClaimTemplateName)) || (!has(c.resourceClaimName) && has(c.resourceClaimTemplateName)))",
              message: "each claim must have exactly one of resourceClaimName or resourceClaimTemplateName",
            },
          ],
        },
      ),
    ),
  },
  {
    rules: [
      {
        rule: "!(has(self.resourceName) && has(self.resourceClaims) && self.resourceClaims.size() > 0)",
        message: "resourceClaims and resourceName are mutually exclusive: use one or the other for GPU scheduling",
      },
    ],
  },
);

export const Hardware = obj("Hardware requirements of the model", {
  accelerator: opt(
    oneOf(
      "Type of acceleration. `vulkan` uses AMD and Intel GPUs through Vulkan; nodes must provide `devic.es/dri-render`",
      ["cpu", "metal", "cuda", "rocm", "intel", "vulkan"],
      { default: "cpu" },
    ),
  ),
  gpu: maybe(Gpu),
  memoryBudget: maybe(
    str(
      "Maximum memory of the model process, as a quantity such as `24Gi`. Takes precedence over `memoryFraction` and the limit of the Metal agent",
    ),
  ),
  memoryFraction: maybe(
    num(
      "Maximum memory of the model process, as a fraction of the memory of the machine, greater than 0 and at most 1. Takes precedence over the limit of the Metal agent",
    ),
  ),
});
