import type { ClaimPlan } from "@trivium/domain";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { LlmkubeOptions } from "../../options.ts";
import { adaptersOfObjects } from "../adapters/adapters-of-objects.ts";
import { placeAdapters } from "../adapters/place-adapters.ts";
import type { ObservedService } from "../observe.ts";
import { type Blocked, type Candidate, failed } from "../selection/lowered.ts";
import { cacheSpaceFault } from "./cache-space.ts";
import { claimSpaceFault } from "./claim-space.ts";
import { planStorage, type StoragePlan } from "./storage.ts";

/** Where the weights of a service and of its draft lie, and what the pods need to read them. */
export interface PlacedWeights {
  readonly is: "placed";
  readonly storage: StoragePlan;
  readonly drafted: StoragePlan | undefined;
  readonly adapters: readonly { readonly name: string; readonly path: string }[];
  /** Volumes, mounts and init containers of all of them. */
  readonly joined: Joined;
}

type Joined = Pick<StoragePlan, "volumes" | "mounts" | "initContainers">;

export function placeWeights(
  service: InferenceService,
  { model, draft, engine, asked }: Candidate,
  { observed, options }: { observed: ObservedService; options: LlmkubeOptions },
): PlacedWeights | Blocked {
  const live = observed.deployment.is === "known" ? observed.deployment.value : undefined;
  const storage = planStorage({
    service,
    model,
    engine,
    options,
    listing: observed.listing?.tolerated,
    served: live?.file,
  });
  if (storage.is === "waiting") return waiting(storage.why);
  if (storage.is === "faulty")
    return failed(storage.reason === "SourceHidden" ? "ModelSourceNotFound" : "InvalidSpec", storage.why);
  const drafted =
    draft === undefined ? undefined : planStorage({ service, model: draft, engine, options, prefix: "draft-" });
  if (drafted?.is === "waiting") return waiting(drafted.why);
  if (drafted?.is === "faulty") return failed("InvalidSpec", drafted.why);
  const missing = claimFault(storage, observed.claim);
  if (missing !== undefined) return missing;
  const small = live === undefined ? claimSpaceFault({ model, draft, observed, storage }) : undefined;
  if (small !== undefined) return small;
  const models = [model, ...(draft === undefined ? [] : [draft])];
  const full = cacheSpaceFault(service, { models, observed, storage });
  if (full !== undefined) return full;
  const placed = placeAdapters(service, { asked: asked.adapters, engine, options });
  if (placed.is === "blocked") return placed;
  const adapters = [...placed.adapters, ...adaptersOfObjects(service, { asked, engine, observed })];
  const beside = [...(drafted === undefined ? [] : [drafted]), ...placed.adapters.map((one) => one.storage)];
  return { is: "placed", storage, drafted, adapters, joined: beside.reduce<Joined>(joinStorage, storage) };
}

const waiting = (message: string): Blocked => ({
  is: "blocked",
  phase: "Pending",
  reason: "Pending",
  message,
  isModelReady: false,
});

function claimFault({ cache }: StoragePlan, claim: ObservedService["claim"]): Blocked | undefined {
  if (cache?.is !== "users" || claim?.is !== "absent") return undefined;
  return failed(
    "CacheClaimNotFound",
    `PersistentVolumeClaim ${cache.name} not found; create it, or change spec.modelCache.claimName`,
  );
}

/** A claim of the service's own is always named, since what is not named is deleted; a shared one only has to be created once. */
export function wantedClaim({ cache }: StoragePlan, claim: ObservedService["claim"]): ClaimPlan[] {
  if (cache?.is !== "ours") return [];
  return cache.plan.life === "owned" || claim?.is === "absent" ? [cache.plan] : [];
}

/** What several need is there once. */
function joinStorage(a: Joined, b: Joined): Joined {
  const byName = <T extends { name: string }>(list: readonly T[]): T[] => [
    ...new Map(list.map((one) => [one.name, one])).values(),
  ];
  return {
    volumes: byName([...b.volumes, ...a.volumes]),
    mounts: byName([...b.mounts, ...a.mounts]),
    initContainers: [...a.initContainers, ...b.initContainers],
  };
}
