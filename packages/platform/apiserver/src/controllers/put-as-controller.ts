import type { AnyObject } from "@trivium/kube";
import { track } from "../admission/admission.ts";
import type { Backend } from "../call.ts";
import type { Resource } from "../resource.ts";
import { objectAt } from "../storage/storage.ts";
import type { Stored } from "../store/store.ts";

/** The owner of fields that the server's own controllers write, as a controller manager names itself. */
const manager = "kube-controller-manager";

/** Stores a change that a controller inside the server made to an object, and notes whose fields came and went. */
export async function putAsController(
  backend: Backend,
  resource: Resource,
  change: { readonly stored: Stored; readonly next: AnyObject; readonly subresource?: string },
): Promise<void> {
  const { stored, next, subresource } = change;
  const live = objectAt(resource, stored);
  track(resource, { live, next, manager, ...(subresource ? { subresource } : {}), now: backend.now() });
  await backend.storage.put(resource, next, stored.revision);
}
