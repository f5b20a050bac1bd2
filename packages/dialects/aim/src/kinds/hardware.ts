import { int32, list, obj, opt, quantity, str } from "@trivium/schema";
import { immutable, metric, precision } from "./vocabulary.ts";

/** GPU wish of a template: the older form, one model name and a count. */
export const gpuSelector = obj(
  "GPUs that each replica needs. Immutable once set",
  {
    count: opt(int32("Number of GPUs for each replica", { minimum: 1 })),
    model: opt(str("GPU model that a node must have, such as MI300X", { minLength: 1 })),
    resourceName: opt(str("Name of the Kubernetes resource for these GPUs", { default: "amd.com/gpu" })),
  },
  immutable("gpuSelector"),
);

/** Hardware wish of a custom model: the newer form. Both forms mean the same to the engines. */
export const hardware = (description: string) =>
  obj(
    description,
    {
      gpu: opt(
        obj("GPUs that each replica needs", {
          requests: opt(int32("Number of GPUs for each replica", { minimum: 0 })),
          models: opt(
            list("Acceptable GPU models; any model if empty", str("A GPU model, such as MI300X", { maxLength: 64 })),
          ),
          model: opt(str("An acceptable GPU model, in addition to those in models", { maxLength: 64 })),
          minVram: opt(
            quantity("Minimum memory of each GPU, such as 64Gi. If models is also set, both conditions must hold"),
          ),
          resourceName: opt(str("Name of the Kubernetes resource for these GPUs", { default: "amd.com/gpu" })),
        }),
      ),
      cpu: opt(
        obj("CPU that each replica needs", {
          requests: quantity("CPU request of each replica"),
          limits: opt(quantity("CPU limit of each replica")),
        }),
      ),
    },
    { rules: [{ rule: "has(self.gpu) || has(self.cpu)", message: "hardware must set at least one of gpu and cpu" }] },
  );

/** What a profile is chosen by; templates state it and services may override it. */
export const runtimeParameters = {
  metric: opt(metric("What the profile is optimized for: low latency or high throughput", immutable("metric"))),
  precision: opt(precision("Numeric precision of the weights in this profile", immutable("precision"))),
  gpuSelector: opt(gpuSelector),
  hardware: opt(hardware("Hardware that each replica needs; replaces gpuSelector")),
};
