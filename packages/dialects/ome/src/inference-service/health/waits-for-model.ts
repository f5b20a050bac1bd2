import type { Failure } from "@trivium/domain";
import type { ObservedModel } from "../observed/model.ts";

/** Whether pods do not start because the files of the model are not there: no node holds them, or the claim that they are on has no volume. */
export function waitsForModel(failure: Failure | undefined, { place, why }: ObservedModel): boolean {
  if (failure === undefined || failure.kind === "unschedulable") return true;
  return (
    failure.kind === "volume" &&
    place.is === "claim" &&
    why !== undefined &&
    (failure.claims ?? []).some(({ name }) => name === place.claim)
  );
}
