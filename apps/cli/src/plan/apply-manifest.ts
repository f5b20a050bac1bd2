import { type AnyObject, isReason, type Kind, type KubeClient } from "@trivium/kube";
import { isObject, type Json, type JsonObject } from "@trivium/std";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Applies a manifest as `kubectl apply` would: what its last version had and this one has not is removed. Where the object was never
 * applied by kubectl, it is a server-side apply by the manager that applied it before.
 */
export async function applyManifest(client: KubeClient, kind: Kind, manifest: AnyObject): Promise<void> {
  const { name = "", namespace } = manifest.metadata;
  const ref = kind.namespaced ? { namespace, name } : { name };
  const live = (await client.get(kind, ref).catch(undefinedIfMissing)) as AnyObject | undefined;
  const before = parse(live?.metadata.annotations?.[lastApplied]);
  if (live === undefined || before === undefined) {
    const fieldManager = applierOf(live) ?? "kubectl";
    await client.apply(kind, manifest as never, { fieldManager, force: true, fieldValidation: "Strict" });
    return;
  }
  const body = withRemovals(before, manifest as unknown as JsonObject);
  await client.patch(kind, ref, { type: "merge", body }, { fieldValidation: "Strict" });
}

/** A person's manager, not one of a reconciler: those have a dot in their name. */
const applierOf = (live: AnyObject | undefined): string | undefined =>
  live?.metadata.managedFields?.find(
    ({ operation, subresource, manager = "." }) =>
      operation === "Apply" && subresource === undefined && !manager.includes("."),
  )?.manager;

function parse(text: string | undefined): JsonObject | undefined {
  try {
    const value = text === undefined ? undefined : (JSON.parse(text) as Json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function withRemovals(before: JsonObject, next: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const [key, old] of Object.entries(before)) {
    const wanted = next[key];
    if (wanted === undefined) patch[key] = null;
    else if (isObject(old) && isObject(wanted)) patch[key] = withRemovals(old, wanted);
  }
  for (const [key, wanted] of Object.entries(next)) if (patch[key] === undefined) patch[key] = wanted;
  return patch;
}

function undefinedIfMissing(error: unknown): undefined {
  if (isReason(error, "NotFound")) return undefined;
  throw error;
}
