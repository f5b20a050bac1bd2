import type { JsonObject } from "@trivium/std";
import { namespaced } from "../handle.ts";
import { type Sequence, sequence } from "../sequence.ts";
import { claims, pods, services } from "./kinds.ts";

const ranges = namespaced("v1", "limitranges", "LimitRange");
const quotas = namespaced("v1", "resourcequotas", "ResourceQuota");

const pod = (resources: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  spec: { automountServiceAccountToken: false, containers: [{ name: "main", image: "nginx", resources }], ...more },
});
const claim = (storage: string): JsonObject => ({
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage } } },
});
const isCounted = (_: number, body: unknown): boolean => JSON.stringify(body).includes('"used"');

/** Bounds and defaults, which a server needs no controller for. */
export const limitRanges: Sequence[] = [
  sequence(
    "limit range/pods",
    ranges.create("r", {
      spec: {
        limits: [
          {
            type: "Container",
            default: { cpu: "500m" },
            defaultRequest: { cpu: "100m" },
            min: { cpu: "50m" },
            max: { cpu: "1", memory: "1Gi" },
            maxLimitRequestRatio: { cpu: "5" },
          },
          { type: "Pod", max: { cpu: "2" } },
        ],
      },
    }),
    pods.create("a", pod()),
    pods.create("b", pod({ limits: { cpu: "3" } })),
    pods.create("b", pod({ limits: { cpu: "1" }, requests: { cpu: "100m" } })),
    pods.create("b", pod({ limits: { cpu: "10m" } })),
    pods.create("b", pod({ requests: { memory: "2Gi" } })),
    pods.create("c", pod({}, { initContainers: [{ name: "first", image: "nginx" }] })),
  ),
  sequence(
    "limit range/nothing stated",
    ranges.create("r", { spec: { limits: [{ type: "Pod", min: { cpu: "1" }, max: { memory: "1Gi" } }] } }),
    pods.create("a", pod()),
  ),
];

/** Quotas count only where a controller has read them. */
export const quotaSequences: Sequence[] = [
  sequence(
    "quota/pods",
    quotas.create("q", { spec: { hard: { pods: "1", "requests.nvidia.com/gpu": "4", "limits.cpu": "1" } } }),
    quotas.wait("q", isCounted),
    pods.create("a", pod()),
    pods.create("a", pod({ limits: { cpu: "600m", "nvidia.com/gpu": 2 } })),
    pods.create("b", pod({ limits: { cpu: "600m", "nvidia.com/gpu": 3 } })),
    quotas.wait("q", (_, body) => JSON.stringify(body).includes('"limits.cpu":"600m"')),
  ),
  sequence(
    "quota/services and claims",
    quotas.create("q", { spec: { hard: { "services.nodeports": "0", "requests.storage": "1Gi", "count/pods": "0" } } }),
    quotas.wait("q", isCounted),
    services.create("a", { spec: { type: "NodePort", selector: { a: "b" }, ports: [{ port: 80 }] } }),
    claims.create("a", claim("2Gi")),
    pods.create("a", pod()),
  ),
];
