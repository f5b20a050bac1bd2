import type { ApiResponse } from "@trivium/kube";
import type { JsonObject } from "@trivium/std";
import { isReadyToGo, matchPath } from "../../admission/admission.ts";
import { decodeObject } from "../../body/decode.ts";
import type { Call } from "../../call.ts";
import { writeOptions } from "../../options.ts";
import { notFound } from "../../refusals.ts";
import { respond } from "../../respond.ts";
import { objectAt, serialize } from "../../storage/storage.ts";
import { checkVersion } from "../update.ts";

/** `namespaces/finalize`: the only way to take a namespace's own finalizers away. */
export async function finalize(call: Call): Promise<ApiResponse> {
  const { backend, resource } = call;
  const options = writeOptions(call, "UpdateOptions");
  const wanted = decodeObject(call, options.validation);
  matchPath(call, wanted.metadata);
  const stored = backend.storage.get(resource, "", call.name);
  if (stored === undefined) throw notFound(resource, call.name);
  const next = objectAt(resource, stored);
  checkVersion(call, wanted, next);
  const finalizers = (wanted.spec as { finalizers?: string[] } | undefined)?.finalizers ?? [];
  const { finalizers: _, ...spec } = (next.spec ?? {}) as JsonObject;
  next.spec = finalizers.length > 0 ? { ...spec, finalizers } : spec;
  const text = serialize(next);
  if (options.dryRun) return respond(call, 200, text);
  if (isReadyToGo(next)) {
    await backend.storage.remove(resource, next, stored.revision);
    return respond(call, 200, text);
  }
  const written = await backend.storage.put(resource, next, stored.revision);
  return respond(call, 200, written.text);
}
