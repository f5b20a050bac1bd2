import { bool, int32, list, num, obj, oneOf, opt, str } from "@trivium/schema";
import { maybe } from "./nullable.ts";

/** The form of an extended resource name, and of the taints that device plugins put on nodes. */
const RESOURCE_NAME = "^[a-z0-9.\\-]+/[a-z0-9._\\-]+$";

const Sharding = obj("How the model is divided when `count` is above 1; ignored for a single GPU", {
  strategy: opt(
    oneOf(
      "Way to split: `layer` gives each GPU whole layers; `tensor` (also written `row`) cuts every tensor across all GPUs; `none` stays on one GPU; `pipeline` is accepted with a warning and works as `layer`",
      ["layer", "tensor", "row", "pipeline", "none"],
      { default: "layer" },
    ),
  ),
  layerSplit: maybe(
    list(
      "Layers of each GPU, in order, as inclusive ranges: `0-15`, `16-31` for two GPUs and 32 layers. Empty means an even split",
      str(""),
    ),
  ),
});

const ResourceClaim = obj("One claim of the pod: either a claim that exists, or a template to make one from", {
  name: str("Name of the claim inside the pod: a DNS label, unique among the claims"),
  resourceClaimName: maybe(str("An existing ResourceClaim in the namespace of the Model")),
  resourceClaimTemplateName: maybe(
    str("A ResourceClaimTemplate in the namespace; each pod gets its own claim from it, which goes when the pod goes"),
  ),
});

const Gpu = obj(
  "Which GPUs one replica needs",
  {
    enabled: maybe(
      bool("Switches GPU use on or off. On without a `count` means one GPU; off means none, whatever `count` says"),
    ),
    count: maybe(int32("GPUs for one replica", { minimum: 0, maximum: 8 })),
    memory: maybe(str("Least memory of each GPU, as a quantity such as `16Gi`")),
    vendor: opt(
      oneOf(
        "Maker of the GPU; decides the resource requested, the engine image and the toleration",
        ["nvidia", "amd", "intel"],
        {
          default: "nvidia",
        },
      ),
    ),
    runtime: opt(
      oneOf(
        "Compute backend of llama.cpp on AMD GPUs; other vendors and engines ignore it. `vulkan` takes the Vulkan image and asks for `devic.es/dri-render`; the render group must then be granted in `podSecurityContext.supplementalGroups` of the InferenceService. `rocm`, or nothing, asks for `amd.com/gpu`",
        ["vulkan", "rocm"],
        { nullable: true },
      ),
    ),
    layers: maybe(int32("Transformer layers to put on the GPU; -1 chooses as many as fit", { minimum: -1 })),
    sharding: maybe(Sharding),
    resourceName: maybe(
      str(
        "Extended resource to request instead of the vendor's (`nvidia.com/gpu`, `amd.com/gpu`, `gpu.intel.com/i915`): a MIG slice, or what another device plugin offers. Not together with `resourceClaims`",
        { pattern: RESOURCE_NAME },
      ),
    ),
    tolerationKey: maybe(
      str("Taint key that GPU pods tolerate; when not set, the name of the requested resource", {
        pattern: RESOURCE_NAME,
      }),
    ),
    resourceClaims: maybe(
      list(
        "Devices through dynamic resource allocation (`resource.k8s.io/v1`) rather than an extended resource. Not together with `resourceName`",
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

export const Hardware = obj("What the model is to run on", {
  accelerator: opt(
    oneOf(
      "Kind of acceleration. `vulkan` stands for AMD and Intel GPUs driven through Vulkan; nodes then have to offer `devic.es/dri-render`",
      ["cpu", "metal", "cuda", "rocm", "intel", "vulkan"],
      { default: "cpu" },
    ),
  ),
  gpu: maybe(Gpu),
  memoryBudget: maybe(
    str(
      "Most memory the model process may take, as a quantity such as `24Gi`. Wins over `memoryFraction` and the agent's own limit",
    ),
  ),
  memoryFraction: maybe(
    num(
      "Most memory the model process may take, as a share of the machine's, above 0 up to 1. Wins over the agent's own limit",
    ),
  ),
});
