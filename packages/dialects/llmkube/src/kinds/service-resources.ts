import { int32, obj, oneOf, opt, str } from "@trivium/schema";

const GpuSharing = obj(
  "Whether the service has its GPUs to itself",
  {
    mode: opt(
      oneOf(
        "`exclusive`: whole GPUs; `shared`: takes turns on a GPU with others; `partitioned`: one MIG slice of an NVIDIA GPU",
        ["exclusive", "shared", "partitioned"],
        { default: "exclusive" },
      ),
    ),
    profile: opt(str("MIG profile, such as `1g.10gb`; for `partitioned` only", { pattern: "^[0-9]+g\\.[0-9]+gb$" })),
    memoryLimitGiB: opt(
      int32("GPU memory the service means to stay within, in GiB; counts against quotas; for `shared` only", {
        minimum: 1,
      }),
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

export const ServiceResources = obj("What one replica asks of its node", {
  gpu: opt(int32("GPUs, where the Model does not say", { minimum: 0, maximum: 8 })),
  cpu: opt(str("Processors requested, as a quantity: `4`, `500m`")),
  memory: opt(str("Memory requested, as a quantity: `8Gi`")),
  hostMemory: opt(str("Memory requested when part of the model stays off the GPU; takes the place of `memory`")),
  ephemeralStorage: opt(
    str("Scratch disk, requested and limited alike; also bounds an `Ephemeral` model cache", {
      pattern: "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$",
    }),
  ),
  gpuMemory: opt(str("GPU memory, as a quantity; kept as a note, scheduling does not use it")),
  gpuSharing: opt(GpuSharing),
});

export const ModelCache = obj(
  "Where the weights are kept between pods",
  {
    persistence: opt(
      oneOf(
        "`Cached`: on a volume that outlives the pod; `Ephemeral`: fetched anew by each pod",
        ["Cached", "Ephemeral"],
        {
          default: "Cached",
        },
      ),
    ),
    claimName: opt(str("An existing claim to use as the cache", { minLength: 1, maxLength: 253 })),
  },
  {
    rules: [
      {
        rule: "!(has(self.claimName) && has(self.persistence) && self.persistence == 'Ephemeral')",
        message: "claimName names a cache, so persistence cannot be Ephemeral",
      },
    ],
  },
);
