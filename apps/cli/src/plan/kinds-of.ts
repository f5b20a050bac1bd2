import type { ServingDialect } from "@trivium/domain";
import { type AnyObject, apiVersionOf, type Kind } from "@trivium/kube";
import { kindOf } from "../facts/kinds.ts";
import { plannedKinds } from "./live-facts.ts";

/** All kinds that a plan of these manifests looks at. */
export function kindsOf(manifests: readonly AnyObject[], dialects: readonly ServingDialect[]): Kind[] {
  return plannedKinds(
    dialects,
    manifests.flatMap((manifest) => kindOf(manifest, dialects) ?? []),
  );
}

/**
 * The dialects whose reconcilers decide something about these manifests: a dialect neither reads nor writes objects of another one. Objects of
 * Kubernetes, such as a Secret, concern all.
 */
export function concernedDialects(
  manifests: readonly AnyObject[],
  dialects: readonly ServingDialect[],
): readonly ServingDialect[] {
  const owners = manifests.map(({ apiVersion, kind: name }) =>
    dialects.find(({ kinds }) => kinds.some((kind) => kind.kind === name && apiVersionOf(kind) === apiVersion)),
  );
  return owners.includes(undefined) ? dialects : dialects.filter((dialect) => owners.includes(dialect));
}
