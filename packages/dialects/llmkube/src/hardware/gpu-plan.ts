import type { api } from "@trivium/kube";
import { once } from "@trivium/std";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { Model } from "../kinds/model.ts";
import { defaultResources, type GpuResources, resourceOf } from "./gpu-resource.ts";

type Gpu = NonNullable<NonNullable<Model["spec"]["hardware"]>["gpu"]>;
type GpuSharing = NonNullable<NonNullable<InferenceService["spec"]["resources"]>["gpuSharing"]>;

/** What one replica gets of GPUs, whichever of the two objects said so. */
export type GpuPlan =
  | { readonly is: "none" }
  | {
      readonly is: "resource";
      readonly resource: string;
      readonly count: number;
      readonly toleration: api.Toleration;
      readonly vendor: GpuVendor;
    }
  | {
      readonly is: "claims";
      readonly claims: readonly api.PodResourceClaim[];
      readonly count: number;
      readonly vendor: GpuVendor;
    }
  | { readonly is: "faulty"; readonly why: string };

export type GpuVendor = "nvidia" | "amd" | "intel";

/** Observing and deciding both depend on it, so a pass evaluates it once. */
export const planGpu = (model: Model, service: InferenceService, named: GpuResources = defaultResources): GpuPlan =>
  evaluateGpu(model, service, named);

const evaluateGpu = once(evaluate);

function evaluate(model: Model, service: InferenceService, named: GpuResources): GpuPlan {
  const gpu = model.spec.hardware?.gpu ?? undefined;
  const sharing = service.spec.resources?.gpuSharing;
  const vendor: GpuVendor = gpu?.vendor ?? "nvidia";
  const count = countOf(gpu, service.spec.resources?.gpu);
  const claims = gpu?.enabled === false ? [] : (gpu?.resourceClaims ?? []);
  const why = faultOfSharing(sharing, { gpu, count, vendor });
  if (why !== undefined) return { is: "faulty", why };
  if (claims.length > 0) {
    return { is: "claims", claims: claims.map(podClaim), count: Math.max(count, 1), vendor };
  }
  if (count === 0) return { is: "none" };
  const resource = sharing?.mode === "partitioned" ? `nvidia.com/mig-${sharing.profile}` : resourceOf(model, named);
  const key = gpu?.tolerationKey || resource;
  // Any value: device plugins of clouds taint with values of their own.
  return { is: "resource", resource, count, vendor, toleration: { key, operator: "Exists", effect: "NoSchedule" } };
}

/** How many GPUs, however they are requested; 0 for none. */
export const gpuCount = (plan: GpuPlan): number => (plan.is === "resource" || plan.is === "claims" ? plan.count : 0);

/** How many GPUs one replica gets. What a resource claim is for is not read, so each counts as one at least. */
export function countGpus(gpu: Gpu | undefined, ofService: number | undefined): number {
  const count = countOf(gpu, ofService);
  const claims = gpu?.enabled === false ? 0 : (gpu?.resourceClaims ?? []).length;
  return Math.max(count, claims);
}

/** How many GPUs a Model asks for by itself. */
export const gpuCountOfModel = (model: Model): number => countOf(model.spec.hardware?.gpu ?? undefined, undefined);

/** Switched on without a number means one; switched off means none, whatever the number says. */
function countOf(gpu: Gpu | undefined, ofService: number | undefined): number {
  if (gpu?.enabled === false) return 0;
  if ((gpu?.count ?? 0) > 0) return gpu?.count ?? 0;
  if ((ofService ?? 0) > 0) return ofService ?? 0;
  return gpu?.enabled === true ? 1 : 0;
}

function podClaim(claim: NonNullable<NonNullable<Gpu["resourceClaims"]>[number]>): api.PodResourceClaim {
  const { name, resourceClaimName, resourceClaimTemplateName } = claim;
  return {
    name,
    ...(resourceClaimName ? { resourceClaimName } : {}),
    ...(resourceClaimTemplateName ? { resourceClaimTemplateName } : {}),
  };
}

function faultOfSharing(
  sharing: GpuSharing | undefined,
  { gpu, count, vendor }: { gpu: Gpu | undefined; count: number; vendor: GpuVendor },
): string | undefined {
  if (sharing?.mode !== "partitioned") return undefined;
  if (vendor !== "nvidia") return `gpuSharing mode partitioned requires NVIDIA GPUs, but the Model requests ${vendor}`;
  if (count !== 1) return `gpuSharing mode partitioned requires exactly 1 GPU, but ${count} are requested`;
  if ((gpu?.resourceClaims ?? []).length > 0)
    return "gpuSharing mode partitioned and resourceClaims are mutually exclusive";
  if (gpu?.resourceName) return "gpuSharing mode partitioned and resourceName are mutually exclusive";
  return undefined;
}
