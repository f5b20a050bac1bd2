import type { AnyObject } from "@trivium/kube";
import { admitNew, isReadyToGo } from "../admission/admission.ts";
import { admitChange } from "../admission/admit-change.ts";
import type { Call } from "../call.ts";
import { alreadyExists, conflict, optimisticLock } from "../refusals.ts";
import { isStoredForm } from "../registry.ts";
import { StoreConflict, type Stored } from "../store/store.ts";
import { objectAt, serialize } from "./storage.ts";

/**
 * The one way into the store. Reading, deciding and taking a revision happen without a pause in between, so nobody can
 * write in the middle and a patch never has to be tried twice.
 */
export interface Written {
  /** Whole JSON text of the object as it is now, or as it was when it went. */
  readonly text: string;
  readonly isNew: boolean;
}

export interface WriteHow {
  readonly dryRun: boolean;
  /** Undefined when managedFields are written already. */
  readonly manager: string | undefined;
}

const nameAttempts = 8;

/** Admits and stores an object that is not there yet. */
export async function createObject(call: Call, object: AnyObject, how: WriteHow): Promise<Written> {
  demandCreate(call, object.metadata.name ?? "");
  const isGenerated = (object.metadata.name ?? "") === "";
  admitNew(call, object, how.manager);
  for (let attempt = 1; ; attempt++) {
    try {
      return { text: await storeNew(call, object, how.dryRun), isNew: true };
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
      if (!isGenerated || attempt === nameAttempts) throw taken(call, object, error);
      delete object.metadata.name;
      admitNew(call, object, undefined);
    }
  }
}

/** An update or an apply of what is not there creates it, which is another verb than the one that was authorized. */
function demandCreate({ backend, identity, request, resource, namespace }: Call, name: string): void {
  if (request.method === "POST") return;
  const { group, plural } = resource;
  backend.authorizer.demand(identity, {
    is: "resource",
    verb: "create",
    group,
    resource: plural,
    subresource: "",
    namespace,
    name,
  });
}

/** A name that is taken by an object on its way out is free again soon; the caller is told. */
function taken({ resource }: Call, { metadata }: AnyObject, { actual }: StoreConflict) {
  const isLeaving = actual !== undefined && objectAt(resource, actual).metadata.deletionTimestamp !== undefined;
  return alreadyExists(resource, metadata.name ?? "", isLeaving ? "object is being deleted: " : "");
}

async function storeNew(call: Call, object: AnyObject, dryRun: boolean): Promise<string> {
  const { storage } = call.backend;
  const { namespace = "", name = "" } = object.metadata;
  if (dryRun) {
    const actual = storage.get(call.resource, namespace, name);
    if (actual !== undefined) throw new StoreConflict(actual.key, actual);
    return serialize(object);
  }
  delete object.metadata.resourceVersion;
  const stored = await storage.put(call.resource, object, 0);
  return ownText(call, object, stored);
}

export interface Changing extends WriteHow {
  readonly stored: Stored;
  readonly live: AnyObject;
  readonly next: AnyObject;
  /** "" for the whole object. */
  readonly subresource: string;
}

/** Admits and stores the next state of an object; removes it when its last finalizer went. */
export async function changeObject(call: Call, change: Changing): Promise<Written> {
  const { storage } = call.backend;
  const { stored, next, dryRun } = change;
  if (!admitChange(call, change)) {
    await storage.store.settled();
    return { text: serialize(change.live), isNew: false };
  }
  if (dryRun) return { text: serialize(next), isNew: false };
  try {
    if (isReadyToGo(next)) {
      const text = serialize(next);
      // Watchers are told of the last state that was stored, not of the change that let it go.
      await storage.remove(call.resource, change.live, stored.revision);
      return { text, isNew: false };
    }
    const written = await storage.put(call.resource, next, stored.revision);
    return { text: ownText(call, next, written), isNew: false };
  } catch (error) {
    if (error instanceof StoreConflict) throw conflict(call.resource, call.name, optimisticLock);
    throw error;
  }
}

/** The stored text, unless this resource shows the object in another form. */
const ownText = (call: Call, object: AnyObject, stored: Stored): string =>
  isStoredForm(call.resource) ? stored.text : serialize(object);
