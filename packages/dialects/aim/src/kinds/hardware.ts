import { int32, list, obj, opt, quantity, str } from "@trivium/schema";
import { immutable, metric, precision } from "./vocabulary.ts";

/** GPU wish of a template: the older form, one model name and a count. */
export const gpuSelector = obj(
  "GPUs that each replica needs. Cannot be changed once set",
  {
    count: opt(int32("How many GPUs each replica gets", { minimum: 1 })),
    model: opt(str("GPU model a node must offer, such as MI300X", { minLength: 1 })),
    resourceName: opt(str("Kubernetes resource under which nodes offer these GPUs", { default: "amd.com/gpu" })),
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
          requests: opt(int32("How many GPUs each replica gets", { minimum: 0 })),
          models: opt(
            list("GPU models that will do; any when empty", str("A GPU model, such as MI300X", { maxLength: 64 })),
          ),
          model: opt(str("One GPU model that will do; joins the list in models", { maxLength: 64 })),
          minVram: opt(
            quantity("Least memory that each GPU must have, such as 64Gi; together with models, both must hold"),
          ),
          resourceName: opt(str("Kubernetes resource under which nodes offer these GPUs", { default: "amd.com/gpu" })),
        }),
      ),
      cpu: opt(
        obj("CPU that each replica needs", {
          requests: quantity("CPU that is set aside for a replica"),
          limits: opt(quantity("CPU that a replica may use at most")),
        }),
      ),
    },
    { rules: [{ rule: "has(self.gpu) || has(self.cpu)", message: "hardware must say at least one of gpu and cpu" }] },
  );

/** What a profile is chosen by; templates state it and services may override it. */
export const runtimeParameters = {
  metric: opt(
    metric("What the profile is optimised for: short answers times or many requests a second", immutable("metric")),
  ),
  precision: opt(precision("Numeric precision of the weights the profile runs with", immutable("precision"))),
  gpuSelector: opt(gpuSelector),
  hardware: opt(hardware("Hardware that each replica needs; the newer spelling of gpuSelector")),
};
