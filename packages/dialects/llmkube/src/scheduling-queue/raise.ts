import type { Patch } from "@trivium/reconcile";
import { InferenceService } from "../kinds/inference-service.ts";
import type { QueuePlace } from "./lower.ts";

/** Only positions that changed are written: a service that joins at the end changes no other. */
export const raiseQueue = (places: readonly QueuePlace[]): Patch[] =>
  places
    .filter(({ entry, position }) => entry.position !== position)
    .map(({ entry: { namespace, name }, position }) => ({
      patch: "status",
      kind: InferenceService,
      ref: { namespace, name },
      status: { queuePosition: position ?? null },
    }));
