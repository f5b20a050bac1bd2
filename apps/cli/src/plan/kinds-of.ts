import type { ServingDialect } from "@trivium/domain";
import type { AnyObject, Kind } from "@trivium/kube";
import { kindOf } from "../facts/kinds.ts";
import { plannedKinds } from "./live-facts.ts";

/** All kinds that a plan of these manifests looks at. */
export function kindsOf(manifests: readonly AnyObject[], dialects: readonly ServingDialect[]): Kind[] {
  return plannedKinds(
    dialects,
    manifests.flatMap((manifest) => kindOf(manifest, dialects) ?? []),
  );
}
