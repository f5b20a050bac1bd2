import type { ApiResponse } from "@trivium/kube";
import type { Call } from "../../call.ts";
import { badRequest, notFound, tooLargeResourceVersion } from "../../refusals.ts";
import { respond } from "../../respond.ts";
import { textAt } from "../../storage/storage.ts";
import { renderOne, viewOf } from "../../view/view.ts";
import { parseResourceVersion } from "./resource-version.ts";

export async function get(call: Call): Promise<ApiResponse> {
  const { storage } = call.backend;
  const wanted = parseResourceVersion(call.query.get("resourceVersion"), (why) =>
    badRequest(`invalid resource version: ${why}`),
  );
  if (wanted > storage.newest) throw tooLargeResourceVersion(wanted, storage.newest);
  const stored = storage.get(call.resource, call.namespace, call.name);
  await storage.store.settled();
  if (stored === undefined) throw notFound(call.resource, call.name);
  return respond(call, 200, renderOne(viewOf(call, "one"), textAt(call.resource, stored)));
}
