import { int32, obj, oneOf, opt, str } from "@trivium/schema";

const GpuSharing = obj(
  "Whether the service shares its GPUs",
  {
    mode: opt(
      oneOf(
        "`exclusive`: whole GPUs; `shared`: a time-sliced GPU, shared with other services; `partitioned`: one MIG slice of an NVIDIA GPU",
        ["exclusive", "shared", "partitioned"],
        { default: "exclusive" },
      ),
    ),
    profile: opt(str("MIG profile, such as `1g.10gb`; for `partitioned` only", { pattern: "^[0-9]+g\\.[0-9]+gb$" })),
    memoryLimitGiB: opt(
      int32(
        "GPU memory that the service is expected to stay within, in GiB; counts against quotas; for `shared` only",
        {
          minimum: 1,
        },
      ),
    ),
  },
  {
    rules: [
      {
        rule: "(has(self.mode) && self.mode == 'partitioned') == has(self.profile)",
        message: "profile is required when mode is partitioned, and only valid then",
      },
      {
        rule: "!has(self.memoryLimitGiB) || (has(self.mode) && self.mode == 'shared')",
        message: "memoryLimitGiB is only valid when mode is shared",
      },
    ],
  },
);

export const ServiceResources = obj("Resources that each replica requests", {
  gpu: opt(int32("Number of GPUs if the Model does not specify it", { minimum: 0, maximum: 8 })),
  cpu: opt(str("CPU request as a quantity, such as `4` or `500m`")),
  memory: opt(str("Memory request as a quantity, such as `8Gi`")),
  hostMemory: opt(str("Memory request if part of the model is kept in host memory; replaces `memory`")),
  ephemeralStorage: opt(
    str("Ephemeral storage, set as request and limit; also limits an `Ephemeral` model cache", {
      pattern: "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$",
    }),
  ),
  gpuMemory: opt(str("GPU memory as a quantity; for information only, not used for scheduling")),
  gpuSharing: opt(GpuSharing),
});

export const ModelCache = obj(
  "Cache of the weights",
  {
    persistence: opt(
      oneOf(
        "`Cached`: on a persistent volume; `Ephemeral`: every pod downloads the weights again",
        ["Cached", "Ephemeral"],
        {
          default: "Cached",
        },
      ),
    ),
    claimName: opt(str("Existing PersistentVolumeClaim to use as the cache", { minLength: 1, maxLength: 253 })),
  },
  {
    rules: [
      {
        rule: "!(has(self.claimName) && has(self.persistence) && self.persistence == 'Ephemeral')",
        message: "persistence cannot be Ephemeral if claimName is set",
      },
    ],
  },
);
