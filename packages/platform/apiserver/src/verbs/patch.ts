import {
  type AnyObject,
  type ApiResponse,
  apiVersionOf,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  type JsonPatchOperation,
  PatchError,
} from "@trivium/kube";
import { canonicalJson, getOwn, isObject, type Json, type JsonObject } from "@trivium/std";
import { matchPath } from "../admission/admission.ts";
import { BodyError, parseJsonBody } from "../body/body.ts";
import { refuseGrowth, sizeFaultOf } from "../body/body-size.ts";
import { adoptHead, type FieldRules, refuseOtherKind, settleFields } from "../body/decode.ts";
import type { Call } from "../call.ts";
import { type WriteOptions, writeOptions } from "../options.ts";
import {
  badRequest,
  bodyTooLarge,
  invalid,
  notFound,
  refusal,
  UndecodableError,
  unsupportedMediaType,
} from "../refusals.ts";
import { respond } from "../respond.ts";
import { objectAt, serialize } from "../storage/storage.ts";
import { changeObject } from "../storage/write.ts";
import type { Stored } from "../store/store.ts";
import { renderOne, viewOf } from "../view/view.ts";
import { apply } from "./apply.ts";
import { checkVersion } from "./update.ts";

export type PatchKind = "json" | "merge" | "strategic" | "apply";

const kinds: Readonly<Record<string, PatchKind>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

export async function patch(call: Call): Promise<ApiResponse> {
  const kind = patchKindOf(call);
  if (kind === "apply") return apply(call);
  const view = viewOf(call, "one");
  const options = writeOptions(call, "PatchOptions");
  const { resource, backend, subresource } = call;
  const body = readPatch(call, kind);
  const stored = backend.storage.get(resource, call.namespace, call.name);
  if (stored === undefined) throw notFound(resource, call.name);
  const live = objectAt(resource, stored);
  const next = patched(call, { kind, body, options, stored, live });
  checkVersion(call, next, live);
  const { text } = await changeObject(call, { ...options, stored, live, next, subresource });
  return respond(call, 200, renderOne(view, text));
}

/** Custom resources know no strategic merge, and `application/json` says nothing of the kind of patch. */
export function patchKindOf(call: Call): PatchKind {
  const media = (call.request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const kind = getOwn(kinds, media);
  const isCustom = call.resource.origin === "custom";
  if (kind !== undefined && !(kind === "strategic" && isCustom)) return kind;
  if (!isCustom) throw refusal(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  throw unsupportedMediaType(Object.keys(kinds).filter((name) => kinds[name] !== "strategic"));
}

export interface PatchBody {
  readonly value: Json;
  readonly duplicates: () => readonly string[];
}

export function readPatch(call: Call, kind: PatchKind): PatchBody {
  try {
    const body = call.parsed?.take() ?? parseJsonBody(call.request.body ?? "");
    return kind === "json" ? { ...body, duplicates: () => oddKeys(body) } : body;
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    throw badRequest(kind === "strategic" ? error.message : `error decoding patch: ${error.message}`);
  }
}

const operationKeys: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

/** What is remarkable in the operations of a JSON patch: keys that are there twice, or that nobody knows. */
function oddKeys(body: PatchBody): string[] {
  const unknown = (Array.isArray(body.value) ? body.value : []).flatMap((operation, index) =>
    Object.keys(isObject(operation) ? operation : {})
      .filter((key) => !operationKeys.has(key))
      .map((key) => `unknown field "[${index}].${key}"`),
  );
  return [...body.duplicates(), ...unknown].map((fault) => `json patch ${fault}`);
}

interface PatchRun {
  readonly kind: Exclude<PatchKind, "apply">;
  readonly body: PatchBody;
  readonly options: WriteOptions;
  readonly stored: Stored;
  readonly live: AnyObject;
}

function patched(call: Call, patching: PatchRun): AnyObject {
  const { kind, body, options, live } = patching;
  const result = runPatch(live as unknown as Json, { kind, patch: body.value, schema: call.resource.schema });
  if (!isObject(result))
    throw refusal(422, "Invalid", "the server rejected our request due to an error in our request", {});
  const next = result as unknown as AnyObject;
  refuseGrowth(next, live);
  const rules = { duplicates: body.duplicates, validation: options.validation, isPatch: true };
  try {
    checkKind(call, result);
  } catch (error) {
    throw inPatchWords(error, () => runAgain(call, patching));
  }
  // Only fields that the patch brought can be unknown: those of the stored object were pruned when it was written.
  try {
    settleFields(call, next, rules);
  } catch (error) {
    throw inPatchWords(firstFault(call, runAgain(call, patching), rules) ?? error, () => runAgain(call, patching));
  }
  matchPath(call, next.metadata);
  return next;
}

/** The result once more, of nothing that the first run shares: what was read since has dropped fields from it. */
function runAgain(call: Call, { kind, stored }: PatchRun): Json {
  const { resource } = call;
  const live = objectAt(resource, stored) as unknown as Json;
  return runPatch(live, { kind, patch: readPatch(call, kind).value, schema: resource.schema });
}

/** Of several faults the one is told that comes first in the order of the field names. */
function firstFault(call: Call, result: Json, rules: FieldRules): unknown {
  try {
    settleFields(call, JSON.parse(canonicalJson(result)) as AnyObject, rules);
  } catch (error) {
    return error;
  }
  return undefined;
}

export function runPatch(
  target: Json,
  run: { kind: Exclude<PatchKind, "apply">; patch: Json; schema: AnyObjectSchema },
): Json {
  const { kind, patch, schema } = run;
  try {
    if (kind === "json") {
      if (patch === null) return target;
      if (!Array.isArray(patch))
        throw badRequest(
          `error decoding patch: json: cannot unmarshal ${typeName(patch)} into Go value of type []handlers.jsonPatchOp`,
        );
      return runJsonPatch(target, patch as unknown as JsonPatchOperation[]);
    }
    if (patch === null && kind === "strategic") return target;
    if (patch === null) throw badRequest("Invalid JSON Patch");
    if (!isObject(patch)) {
      const why = `json: cannot unmarshal ${typeName(patch)} into Go value of type map[string]interface {}`;
      throw badRequest(kind === "merge" ? `error decoding patch: ${why}` : why);
    }
    return kind === "merge" ? applyMergePatch(target, patch) : applyStrategicMergePatch(target, patch, schema);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error.code === 422) throw refusal(422, "Invalid", error.message, {});
    throw refusal(error.code, error.code === 400 ? "BadRequest" : undefined, error.message);
  }
}

/** Operations of one JSON patch, as many as a real server takes. */
const maxOperations = 10_000;

function runJsonPatch(target: Json, operations: readonly JsonPatchOperation[]): Json {
  if (operations.length > maxOperations) {
    throw bodyTooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    );
  }
  const result = orTooDeep(() => applyJsonPatch(target, operations));
  // Each operation may move what is there one level down.
  if (sizeFaultOf(result) === "too-deep") throw tooDeep();
  return result;
}

const tooDeep = () => refusal(422, "Invalid", "the patch nests the object too deeply", {});

/** A copy of something into itself doubles its depth, until no copy of it can be made. */
function orTooDeep<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof RangeError ? tooDeep() : error;
  }
}

type AnyObjectSchema = Parameters<typeof applyStrategicMergePatch>[2];

const typeName = (value: Json): string => (Array.isArray(value) ? "array" : typeof value);

function checkKind({ resource }: Call, result: JsonObject): void {
  const apiVersion = apiVersionOf(resource);
  if (resource.origin === "custom") refuseOtherKind(resource, result, apiVersion);
  else adoptHead(resource, result, apiVersion);
  Object.assign(result, { apiVersion, kind: resource.kind });
}

/** A patch whose result cannot be decoded is shown the object that it would have made. */
function inPatchWords(error: unknown, run: () => Json): unknown {
  if (!(error instanceof UndecodableError)) return error;
  const { detail } = error;
  const value = serialize(run() as unknown as AnyObject);
  return invalid({ group: "", kind: "" }, "", [{ reason: "FieldValueInvalid", field: "patch", value, detail }]);
}
