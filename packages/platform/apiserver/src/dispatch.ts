import type { ApiResponse } from "@trivium/kube";
import type { Call } from "./call.ts";
import { isMetrics, readMetrics } from "./metrics/metrics.ts";
import { badRequest, methodNotAllowed, notFound, unknownResource, verbNotSupported } from "./refusals.ts";
import type { Verb } from "./resource.ts";
import { noNode } from "./streaming/connect.ts";
import { create } from "./verbs/create.ts";
import { deleteOne } from "./verbs/delete.ts";
import { deleteCollection } from "./verbs/delete-collection.ts";
import { patch } from "./verbs/patch.ts";
import { get } from "./verbs/reading/get.ts";
import { list } from "./verbs/reading/list.ts";
import { watch } from "./verbs/reading/watch.ts";
import { isReview, review } from "./verbs/review.ts";
import { bind } from "./verbs/subresources/binding.ts";
import { evict } from "./verbs/subresources/eviction.ts";
import { finalize } from "./verbs/subresources/finalize.ts";
import { podLog } from "./verbs/subresources/log.ts";
import { scale } from "./verbs/subresources/scale.ts";
import { requestToken } from "./verbs/subresources/token.ts";
import { update } from "./verbs/update.ts";

type Handle = (call: Call) => Promise<ApiResponse>;

const verbs: Readonly<Record<Verb, Handle>> = {
  create,
  delete: deleteOne,
  deletecollection: deleteCollection,
  get,
  list,
  patch,
  update,
  watch,
};

/** Subresources that belong to one resource, with the verbs they answer. */
const special: Readonly<Record<string, Partial<Record<Verb, Handle>>>> = {
  "pods/attach": { get: needsUpgrade, create: needsUpgrade },
  "pods/exec": { get: needsUpgrade, create: needsUpgrade },
  "pods/portforward": { get: needsUpgrade, create: needsUpgrade },
  "pods/log": { get: podLog },
  "pods/binding": { create: bind },
  "pods/eviction": { create: evict },
  "pods/ephemeralcontainers": { get, update, patch },
  "pods/resize": { get, update, patch },
  "namespaces/finalize": { update: finalize },
  "serviceaccounts/token": { create: requestToken },
};

/** Streams into a running pod leave HTTP behind; a request that does not ask for that gets no further. */
async function needsUpgrade(call: Call): Promise<ApiResponse> {
  const { backend, resource, subresource } = call;
  if (backend.storage.get(resource, call.namespace, call.name) === undefined) throw notFound(resource, call.name);
  throw backend.podStreams === undefined ? noNode(subresource) : badRequest("Upgrade request required");
}

/** Finds who answers a call. */
export function dispatch(call: Call, verb: Verb): Promise<ApiResponse> {
  if (call.subresource !== "") return dispatchSubresource(call, verb);
  if (!call.resource.verbs.includes(verb) || (verb === "create" && call.name !== "")) throw methodNotAllowed();
  if (isReview(call.resource)) return review(call);
  if (isMetrics(call.resource) && call.backend.usage !== undefined) return readMetrics(call, call.backend.usage);
  return verbs[verb](call);
}

function dispatchSubresource(call: Call, verb: Verb): Promise<ApiResponse> {
  const { resource, subresource } = call;
  if (subresource === "status" && resource.subresources.status) {
    if (verb === "get" || verb === "update" || verb === "patch") return verbs[verb](call);
    throw resource.origin === "custom" ? verbNotSupported(resource, verb) : methodNotAllowed();
  }
  if (subresource === "scale" && resource.subresources.scale !== undefined) return scale(call, verb);
  const handles = resource.group === "" ? special[`${resource.plural}/${subresource}`] : undefined;
  if (handles === undefined) throw resource.origin === "custom" ? notFound(resource, call.name) : unknownResource();
  const handle = handles[verb];
  if (handle === undefined) throw methodNotAllowed();
  return handle(call);
}
