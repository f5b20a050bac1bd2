import {
  type AnyObject,
  type ApiResponse,
  formatLabelSelector,
  readScalePath,
  type ScalePaths,
  selectorOf,
  writeScalePath,
} from "@trivium/kube";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import type { Call } from "../call.ts";
import { readBody } from "../decode.ts";
import { type WriteOptions, writeOptions } from "../options.ts";
import {
  badRequest,
  conflict,
  invalid,
  methodNotAllowed,
  notFound,
  optimisticLock,
  verbNotSupported,
} from "../refusals.ts";
import type { Resource } from "../resource.ts";
import { respond } from "../respond.ts";
import { objectAt } from "../storage.ts";
import type { Stored } from "../store/store.ts";
import { changeObject } from "../write.ts";
import { patchKindOf, readPatch, runPatch } from "./patch.ts";

/** The `scale` subresource: one number of an object, in the same form for every kind that has replicas. */
export async function scale(call: Call, verb: string): Promise<ApiResponse> {
  const { backend, resource } = call;
  const paths = pathsOf(resource);
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
  const options = writeOptions(call, verb === "update" ? "UpdateOptions" : "PatchOptions");
  const wanted = verb === "update" ? readScale(call) : patchedScale(call, scaleOf(live, paths));
  return writeReplicas(call, { stored, live, wanted, options, paths });
}

/** Built-in workloads all keep their selector in the spec. */
function pathsOf({ origin, subresources }: Resource): ScalePaths {
  const paths = subresources.scale as ScalePaths;
  return origin === "built-in" ? { ...paths, labelSelectorPath: ".spec.selector" } : paths;
}

function scaleOf(object: AnyObject, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const metadata = JSON.parse(
    JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp }),
  ) as JsonObject;
  const replicas = numberAt(object, paths.specReplicasPath);
  const selector = selectorText(paths.labelSelectorPath && readScalePath(object, paths.labelSelectorPath));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata,
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: numberAt(object, paths.statusReplicasPath), ...(selector === "" ? {} : { selector }) },
  };
}

function numberAt(object: AnyObject, path: string): number {
  const value = readScalePath(object, path);
  return typeof value === "number" ? value : 0;
}

/** Custom resources keep the selector as text, workloads as an object. */
function selectorText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (!isObject(value)) return "";
  const isBare = value.matchLabels === undefined && value.matchExpressions === undefined;
  return formatLabelSelector(selectorOf((isBare ? { matchLabels: value } : value) as Parameters<typeof selectorOf>[0]));
}

function readScale(call: Call): JsonObject {
  const { value } = readBody({ kind: "Scale" }, call.request.body ?? "", call.request.headers["content-type"]);
  if (!isObject(value)) throw badRequest("Scale must be an object");
  if (value.kind !== undefined && value.kind !== "Scale") {
    throw badRequest(`no kind "${String(value.kind)}" is registered for the scale of an object: send a Scale`);
  }
  const metadata = isObject(value.metadata) ? value.metadata : {};
  if (metadata.name !== undefined && metadata.name !== call.name) {
    throw badRequest(
      `the name of the object (${String(metadata.name)}) does not match the name on the URL (${call.name})`,
    );
  }
  return value;
}

function patchedScale(call: Call, current: JsonObject): JsonObject {
  const kind = patchKindOf(call);
  if (kind === "apply") throw badRequest("apply of the scale subresource is not supported: use a merge patch");
  const result = runPatch(current, { kind, patch: readPatch(call, kind).value, schema: {} });
  if (!isObject(result)) throw badRequest("the patch does not leave a Scale");
  return result;
}

interface ScaleWrite {
  readonly stored: Stored;
  readonly live: AnyObject;
  readonly wanted: JsonObject;
  readonly options: WriteOptions;
  readonly paths: ScalePaths;
}

async function writeReplicas(call: Call, { stored, live, wanted, options, paths }: ScaleWrite): Promise<ApiResponse> {
  const { resource } = call;
  const { resourceVersion } = isObject(wanted.metadata) ? wanted.metadata : {};
  if (
    typeof resourceVersion === "string" &&
    resourceVersion !== "" &&
    resourceVersion !== live.metadata.resourceVersion
  ) {
    throw conflict(resource, call.name, optimisticLock);
  }
  const replicas = isObject(wanted.spec) ? (wanted.spec.replicas ?? 0) : 0;
  refuseReplicas(call, replicas, paths);
  const next = writeScalePath({ ...live, metadata: { ...live.metadata } }, paths.specReplicasPath, replicas);
  const { text } = await changeObject(call, { ...options, stored, live, next, subresource: "scale" });
  return respond(call, 200, JSON.stringify(scaleOf(JSON.parse(text) as AnyObject, paths)));
}

function refuseReplicas(call: Call, replicas: Json, paths: ScalePaths): void {
  if (typeof replicas !== "number" || !Number.isInteger(replicas)) {
    throw badRequest(
      `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  }
  if (replicas >= 0) return;
  const isCustom = call.resource.origin === "custom";
  const field = isCustom ? paths.specReplicasPath : "spec.replicas";
  const detail = isCustom ? "should be a non-negative integer" : "must be greater than or equal to 0";
  throw invalid(isCustom ? call.resource : { group: "autoscaling", kind: "Scale" }, call.name, [
    { reason: "FieldValueInvalid", field, value: replicas, detail },
  ]);
}
