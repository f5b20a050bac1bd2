import type { KubeObject, Ref } from "@trivium/kube";
import type { AnyReconciler } from "@trivium/reconcile";
import { keyOfObject } from "./cache.ts";
import { joined } from "./joined.ts";

/** A reader is one object in the eyes of one reconciler; this text is its key in the queue: `aim.service default/chat`. */
export function readerId(reconciler: AnyReconciler, object: KubeObject): string {
  return joined(reconciler.name, keyOfObject(object));
}

export function readerRef(id: string): { readonly reconciler: string; readonly ref: Ref } {
  const space = id.indexOf(" ");
  const slash = id.indexOf("/", space);
  const namespace = id.slice(space + 1, slash);
  const name = id.slice(slash + 1);
  return { reconciler: id.slice(0, space), ref: namespace === "" ? { name } : { namespace, name } };
}
