import type { Reader } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { ClusterServingRuntime, ServingRuntime } from "../../kinds/serving-runtime.ts";
import type { Candidate } from "../../selection/index.ts";

type RuntimeReader = Pick<Reader<typeof ServingRuntime | typeof ClusterServingRuntime>, "nearest" | "list">;

export interface ObservedRuntimes {
  readonly runtimes: readonly Candidate[];
  /** The one that the service names, while it cannot be read. */
  readonly unreadRuntime?: Fact<never>;
}

/** The runtime that a service names and no other, so that a change of others does not trigger it; all where it names none. */
export function observeRuntimes({ metadata, spec }: InferenceService, reader: RuntimeReader): ObservedRuntimes {
  const { namespace } = metadata;
  const name = spec.runtime?.name;
  if (!name) {
    const own = reader.list(ServingRuntime, { namespace });
    return { runtimes: [...own, ...reader.list(ClusterServingRuntime, {})].map(candidateOf) };
  }
  const twin = spec.runtime?.kind === "ServingRuntime" ? [ServingRuntime] : [ServingRuntime, ClusterServingRuntime];
  const found = reader.nearest(twin, { namespace, name });
  if (found.is === "known") return { runtimes: [candidateOf(found.value)] };
  return found.is === "absent" ? { runtimes: [] } : { runtimes: [], unreadRuntime: found };
}

const candidateOf = ({ metadata, spec }: ServingRuntime | ClusterServingRuntime): Candidate => ({
  name: metadata.name ?? "",
  scope: metadata.namespace === undefined ? "cluster" : "namespace",
  spec,
});
