import {
  type AnyObject,
  ApiError,
  type ApiResponse,
  type ApplyInput,
  type ApplyResult,
  apiVersionOf,
  applyServerSide,
  conflictStatus,
  PatchError,
} from "@trivium/kube";
import { append, isObject, type Json } from "@trivium/std";
import { matchPath, unowned } from "../admission/admission.ts";
import { BodyError, parseYamlBody } from "../body/body.ts";
import { refuseGrowth } from "../body/body-size.ts";
import { decodeFields, maxFieldFaults } from "../body/decode.ts";
import type { Call } from "../call.ts";
import { type WriteOptions, writeOptions } from "../options.ts";
import { badRequest, conflict, invalid, notFound, optimisticLock, refusal } from "../refusals.ts";
import { respond } from "../respond.ts";
import { objectAt } from "../storage/storage.ts";
import { changeObject, createObject, type Written } from "../storage/write.ts";
import { renderOne, viewOf } from "../view/view.ts";
import { refuseNulls } from "./applied-nulls.ts";

/** Server-side apply: the caller says what it wants of an object, and owns exactly that. */
export async function apply(call: Call): Promise<ApiResponse> {
  const view = viewOf(call, "one");
  const options = writeOptions(call, "PatchOptions", true);
  const { resource } = call;
  const applied = readApplied(call, { apiVersion: apiVersionOf(resource), kind: resource.kind }, options);
  const { text, isNew } = await merge(call, applied, options);
  return respond(call, isNew ? 201 : 200, renderOne(view, text));
}

/** The configuration in the body, which must be of the kind that the path is of. */
export function readApplied(call: Call, of: { apiVersion: string; kind: string }, options: WriteOptions): AnyObject {
  const body = readBody(call);
  const value = body.value ?? {};
  if (!isObject(value)) {
    const found = Array.isArray(value) ? "array" : typeof value;
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    );
  }
  const applied = value as unknown as AnyObject;
  if (applied.apiVersion !== of.apiVersion || applied.kind !== of.kind) {
    throw badRequest(`invalid object type: ${groupVersionOf(applied.apiVersion)}, Kind=${applied.kind ?? ""}`);
  }
  if (!isObject(applied.metadata)) Object.assign(applied, { metadata: {} });
  const duplicates = options.validation === "Ignore" ? [] : body.duplicates().slice(0, maxFieldFaults);
  if (options.validation === "Strict" && duplicates.length > 0) {
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`,
    );
  }
  append(call.warnings, duplicates);
  return applied;
}

function readBody(call: Call) {
  try {
    return call.parsed?.take() ?? parseYamlBody(call.request.body ?? "");
  } catch (error) {
    if (error instanceof BodyError) throw badRequest(`error decoding YAML: ${error.message}`);
    throw error;
  }
}

/** `/v1` and `apps/v1`, as Go prints a group and version. */
const groupVersionOf = (apiVersion: Json | undefined): string => {
  if (apiVersion === undefined || apiVersion === "") return "/";
  const text = String(apiVersion);
  return text.includes("/") ? text : `/${text}`;
};

async function merge(call: Call, applied: AnyObject, options: WriteOptions): Promise<Written> {
  const { resource, subresource, backend } = call;
  const stored = backend.storage.get(resource, call.namespace, call.name);
  const live = stored === undefined ? undefined : objectAt(resource, stored);
  if (live === undefined && subresource !== "") throw notFound(resource, call.name);
  checkApplied(call, applied, live);
  const next = mergeApplied({
    ...(live === undefined ? {} : { live }),
    applied,
    schema: resource.schema,
    manager: options.manager,
    force: options.force,
    ...(subresource === "" ? {} : { subresource }),
    now: backend.now(),
    resetFields: unowned(resource, subresource),
  });
  refuseGrowth(next, live);
  decodeFields(resource, next);
  matchPath(call, next.metadata);
  refuseNulls(resource, next);
  const how = { dryRun: options.dryRun, manager: undefined };
  if (stored === undefined || live === undefined) return createObject(call, next, how);
  return changeObject(call, { ...how, stored, live, next, subresource });
}

/** The merged object, or the refusal that tells why there is none. */
export function mergeApplied(input: ApplyInput): AnyObject {
  const outcome = run(input);
  if ("conflicts" in outcome) throw new ApiError(conflictStatus(outcome.conflicts));
  return outcome.object;
}

function run(input: ApplyInput): ApplyResult {
  try {
    return applyServerSide(input);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw refusal(error.code, error.code === 400 ? "BadRequest" : undefined, error.message);
  }
}

function checkApplied(call: Call, applied: AnyObject, live: AnyObject | undefined): void {
  const { resource, name } = call;
  const { uid, resourceVersion } = applied.metadata;
  if (live === undefined) {
    if (uid === undefined) return;
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(resource, name, why);
  }
  if (uid !== undefined && uid !== live.metadata.uid) {
    const detail = "field is immutable";
    throw invalid(resource, name, [{ reason: "FieldValueInvalid", field: "metadata.uid", value: uid, detail }]);
  }
  if ((resourceVersion ?? "") !== "" && resourceVersion !== live.metadata.resourceVersion) {
    throw conflict(resource, name, optimisticLock);
  }
}
