import { diagnoseClaimSpace, formatDiagnosis } from "@trivium/engines";
import type { Model } from "../../kinds/model.ts";
import type { ObservedService } from "../observe.ts";
import { type Blocked, failed } from "../selection/lowered.ts";
import { storedBytes } from "../sizing/sizing.ts";
import { claimNameOf, type StoragePlan } from "./storage.ts";

interface ClaimSpaceQuery {
  readonly model: Model;
  readonly draft: Model | undefined;
  readonly observed: ObservedService;
  readonly storage: StoragePlan;
}

/** Weights that are larger than the claim they go to are not fetched: they would fill what other services use too. */
export function claimSpaceFault({ model, draft, observed, storage }: ClaimSpaceQuery): Blocked | undefined {
  const { cache } = storage;
  if (cache === undefined || observed.claim === undefined) return undefined;
  const isPlanned = observed.claim.is === "absent" && cache.is === "ours";
  const planned = isPlanned ? { isPlanned, size: cache.plan.size, field: "--model-cache-size of the operator" } : {};
  const found = diagnoseClaimSpace({
    claim: claimNameOf(cache),
    size: observed.claim.is === "known" ? observed.claim.value.size : undefined,
    ...planned,
    weights: [model, ...(draft === undefined ? [] : [draft])]
      .map(({ metadata }) => `Model ${metadata.name}`)
      .join(" and "),
    bytes: storedBytes(model, draft),
  });
  if (found === undefined) return undefined;
  const remedy = `${found.remedy}, or set a larger claim in spec.modelCache.claimName`;
  return { ...failed("CacheClaimTooSmall", formatDiagnosis({ ...found, remedy })), lacksSpace: true };
}
