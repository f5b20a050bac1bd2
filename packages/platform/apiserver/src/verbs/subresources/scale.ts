import {
  type AnyObject,
  type ApiResponse,
  apiVersionOf,
  builtInSchema,
  managedFieldsOfScale,
  mergeScaleManagedFields,
  type ScalePaths,
  trackUpdate,
  writeScalePath,
} from "@trivium/kube";
import type { Schema } from "@trivium/schema";
import { isObject, type Json } from "@trivium/std";
import { readBody } from "../../body/decode.ts";
import type { Call } from "../../call.ts";
import { type WriteOptions, writeOptions } from "../../options.ts";
import {
  badRequest,
  conflict,
  invalid,
  methodNotAllowed,
  notFound,
  optimisticLock,
  UndecodableError,
  verbNotSupported,
} from "../../refusals.ts";
import { respond } from "../../respond.ts";
import { objectAt } from "../../storage/storage.ts";
import { changeObject } from "../../storage/write.ts";
import type { Stored } from "../../store/store.ts";
import { mergeApplied, readApplied } from "../apply.ts";
import { patchKindOf, readPatch, runPatch } from "../patch.ts";
import { scaleHead, scaleOf, scalePathsOf } from "./scale-form.ts";

const schema: Schema = builtInSchema("autoscaling", "v1", "Scale") ?? { type: "object" };

/** The `scale` subresource: one number of an object, in the same form for every kind that has replicas. */
export async function scale(call: Call, verb: string): Promise<ApiResponse> {
  const { backend, resource } = call;
  const paths = scalePathsOf(resource);
  const stored = backend.storage.get(resource, call.namespace, call.name);
  if (stored === undefined) throw notFound(resource, call.name);
  const live = objectAt(resource, stored);
  if (verb === "get") {
    await backend.storage.store.settled();
    return respond(call, 200, JSON.stringify(scaleOf(live, paths)));
  }
  if (verb !== "update" && verb !== "patch") {
    throw resource.origin === "custom" ? verbNotSupported(resource, verb) : methodNotAllowed();
  }
  return write(call, verb, { stored, live, paths });
}

interface Scaled {
  readonly stored: Stored;
  readonly live: AnyObject;
  readonly paths: ScalePaths;
}

/** Writes the Scale, then what changed of it into the object: the replicas, and who owns them. */
async function write(call: Call, verb: "update" | "patch", { stored, live, paths }: Scaled): Promise<ApiResponse> {
  const isApply = verb === "patch" && patchKindOf(call) === "apply";
  const options = writeOptions(call, verb === "update" ? "UpdateOptions" : "PatchOptions", isApply);
  const parent = { apiVersion: apiVersionOf(call.resource), replicasPath: paths.specReplicasPath };
  const { managedFields = [] } = live.metadata;
  const current = scaleOf(live, paths);
  const owned = {
    ...current,
    metadata: { ...current.metadata, managedFields: managedFieldsOfScale(managedFields, parent) },
  };
  const wanted = isApply
    ? appliedScale(call, owned, options)
    : tracked(call, owned, verb === "update" ? readScale(call) : patchedScale(call, current), options);
  checkWanted(call, wanted, live);
  const replicas = replicasOf(call, wanted, paths);
  const next = writeScalePath({ ...live, metadata: { ...live.metadata } }, paths.specReplicasPath, replicas);
  next.metadata.managedFields = mergeScaleManagedFields(managedFields, wanted.metadata.managedFields ?? [], parent);
  const how = { dryRun: options.dryRun, manager: undefined };
  const { text } = await changeObject(call, { ...how, stored, live, next, subresource: "scale" });
  return respond(call, 200, JSON.stringify(scaleOf(JSON.parse(text) as AnyObject, paths)));
}

function appliedScale(call: Call, live: AnyObject, { manager, force, ...options }: WriteOptions): AnyObject {
  const applied = readApplied(call, scaleHead, { manager, force, ...options });
  const now = call.backend.now();
  return mergeApplied({ live, applied, schema, manager, force, subresource: "scale", now });
}

/** A Scale that was not applied, with the account of who owns it now. */
function tracked(call: Call, live: AnyObject, wanted: AnyObject, { manager }: WriteOptions): AnyObject {
  const next = { ...live, spec: wanted.spec ?? {} };
  const managedFields = trackUpdate({ live, next, schema, manager, subresource: "scale", now: call.backend.now() });
  return { ...wanted, metadata: { ...wanted.metadata, managedFields } };
}

function readScale(call: Call): AnyObject {
  const { value } = readBody({ kind: "Scale" }, call.request.body ?? "", call.request.headers["content-type"]);
  if (!isObject(value)) throw badRequest("Scale must be an object");
  if (value.kind !== undefined && value.kind !== "Scale") {
    throw badRequest(`no kind "${String(value.kind)}" is registered for the scale of an object: send a Scale`);
  }
  return withMetadata(value);
}

function patchedScale(call: Call, current: AnyObject): AnyObject {
  const kind = patchKindOf(call);
  if (kind === "apply") throw new Error("an applied Scale is merged, not patched");
  const result = runPatch(current as unknown as Json, { kind, patch: readPatch(call, kind).value, schema });
  if (!isObject(result)) throw badRequest("the patch does not leave a Scale");
  return withMetadata(result);
}

const withMetadata = (value: { [key: string]: Json }): AnyObject =>
  ({ ...value, metadata: isObject(value.metadata) ? value.metadata : {} }) as unknown as AnyObject;

/** The Scale must be of this object, in the state that the caller saw. */
function checkWanted(call: Call, { metadata }: AnyObject, live: AnyObject): void {
  const { name, resourceVersion = "" } = metadata;
  if (name !== undefined && name !== call.name) {
    throw badRequest(`the name of the object (${String(name)}) does not match the name on the URL (${call.name})`);
  }
  if (resourceVersion !== "" && resourceVersion !== live.metadata.resourceVersion) {
    throw conflict(call.resource, call.name, optimisticLock);
  }
}

function replicasOf(call: Call, { spec }: AnyObject, paths: ScalePaths): number {
  const replicas = isObject(spec) ? (spec.replicas ?? 0) : 0;
  if (typeof replicas !== "number" || !Number.isInteger(replicas)) {
    throw new UndecodableError(
      { kind: "Scale", version: "v1" },
      `json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  }
  if (replicas >= 0) return replicas;
  const isCustom = call.resource.origin === "custom";
  const field = isCustom ? paths.specReplicasPath : "spec.replicas";
  const detail = isCustom ? "should be a non-negative integer" : "must be greater than or equal to 0";
  throw invalid(isCustom ? call.resource : { group: "autoscaling", kind: "Scale" }, call.name, [
    { reason: "FieldValueInvalid", field, value: replicas, detail },
  ]);
}
