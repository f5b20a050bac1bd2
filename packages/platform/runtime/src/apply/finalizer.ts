import type { KubeObject } from "@trivium/kube";
import type { AnyReconciler } from "@trivium/reconcile";
import type { WriteContext } from "./write-context.ts";

export function hasFinalizer(object: KubeObject, finalizer: string | undefined): boolean {
  return finalizer !== undefined && (object.metadata.finalizers?.includes(finalizer) ?? false);
}

/** Whether the upstream operator of the kind has left a finalizer that nobody else takes off. */
export function hasUpstreamFinalizer(object: KubeObject, { upstream }: AnyReconciler): boolean {
  return object.metadata.finalizers?.some((name) => upstream?.finalizers.includes(name)) ?? false;
}

export const isDeleting = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined;

/** Puts the finalizer on before the first child is made: what was made is cleaned up even if the next moment is a deletion. */
export async function addFinalizer(context: WriteContext): Promise<void> {
  const { finalizer } = context.reconciler;
  const { object } = context;
  if (finalizer === undefined || isDeleting(object) || hasFinalizer(object, finalizer)) return;
  await writeFinalizers(context, [...(object.metadata.finalizers ?? []), finalizer]);
}

/** Ours, and with it those of the upstream operator: what they stood for is done, too. */
export async function dropFinalizer(context: WriteContext): Promise<void> {
  const { finalizer, upstream } = context.reconciler;
  const isHeld = (name: string): boolean => name === finalizer || (upstream?.finalizers.includes(name) ?? false);
  const kept = context.object.metadata.finalizers?.filter((name) => !isHeld(name)) ?? [];
  await writeFinalizers(context, kept);
}

/** The list is shared with others, so it is written only over the version it was read from. */
async function writeFinalizers(
  { client, object, reconciler, report, caches }: WriteContext,
  finalizers: string[],
): Promise<void> {
  const { name = "", namespace, resourceVersion = "", uid } = object.metadata;
  const ref = { namespace, name };
  report.writes += 1;
  const patch = { type: "merge", body: { metadata: { resourceVersion, finalizers } } } as const;
  const written = await client.patch(reconciler.kind, ref, patch, { fieldManager: reconciler.name });
  report.changes += 1;
  const cache = caches.of(reconciler.kind);
  // With the last finalizer the object itself goes, and its end is what the cache will see.
  const isLast = isDeleting(object) && finalizers.length === 0;
  report.settling.push(
    isLast ? cache.whenGone(ref, uid) : cache.sightings.whenReached(written.metadata.resourceVersion),
  );
}
