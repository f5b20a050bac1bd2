import type { AnyObject, ApiResponse } from "@trivium/kube";
import { formatTime, isObject, type Json, type JsonObject } from "@trivium/std";
import { readBody } from "../../body/decode.ts";
import type { Call } from "../../call.ts";
import type { BoundObject } from "../../ports.ts";
import { badRequest, conflict, invalid, notFound, refusal } from "../../refusals.ts";
import { respond } from "../../respond.ts";
import { objectAt } from "../../storage/storage.ts";
import { issuer } from "../../tokens/account-tokens.ts";

const hour = 3600;
const shortest = 600;
const longest = 2 ** 32;
const subject = { group: "authentication.k8s.io", kind: "TokenRequest" };

/** `serviceaccounts/token`: a bearer token for a service account. */
export async function requestToken(call: Call): Promise<ApiResponse> {
  const { backend, resource } = call;
  const spec = specOf(call);
  const seconds = expirationOf(spec.expirationSeconds);
  const stored = backend.storage.get(resource, call.namespace, call.name);
  if (stored === undefined) throw notFound(resource, call.name);
  const bound = boundOf(call, spec.boundObjectRef);
  if (backend.tokens === undefined) {
    throw refusal(501, undefined, "this API server has no key to sign service account tokens");
  }
  const given = Array.isArray(spec.audiences) ? spec.audiences.map(String) : [];
  const audiences = given.length > 0 ? given : [issuer];
  const issued = backend.now();
  const expires = issued + seconds * 1000;
  const { uid = "" } = objectAt(resource, stored).metadata;
  const { namespace, name } = call;
  const token = backend.tokens.issue({ namespace, serviceAccount: name, uid, audiences, issued, expires, bound });
  const answer = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name, namespace, uid, creationTimestamp: formatTime(issued) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: formatTime(expires) },
  };
  return respond(call, 201, JSON.stringify(answer));
}

function specOf(call: Call): JsonObject {
  const { value } = readBody({ kind: "TokenRequest" }, call.request.body || "{}", call.request.headers["content-type"]);
  if (!isObject(value)) throw badRequest("TokenRequest must be an object");
  const { name, namespace } = isObject(value.metadata) ? value.metadata : {};
  if (namespace && namespace !== call.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (name && name !== call.name) {
    const detail = "must match the service account name if specified";
    throw invalid(subject, call.name, [{ reason: "FieldValueInvalid", field: "metadata.name", value: name, detail }]);
  }
  return isObject(value.spec) ? value.spec : {};
}

function expirationOf(value: Json | undefined): number {
  if (value === undefined || value === null) return hour;
  if (typeof value === "number" && Number.isInteger(value) && value >= shortest && value <= longest) return value;
  const detail =
    typeof value === "number" && value > longest
      ? "may not specify a duration larger than 2^32 seconds"
      : "may not specify a duration less than 10 minutes";
  throw invalid(subject, "", [{ reason: "FieldValueInvalid", field: "spec.expirationSeconds", value, detail }]);
}

/** The object that the token shall end with, which must be there and be the one that is meant. */
function boundOf(call: Call, reference: Json | undefined): BoundObject | undefined {
  if (!isObject(reference)) return undefined;
  const { kind, apiVersion, name = "", uid } = reference;
  if (apiVersion !== "v1" || (kind !== "Pod" && kind !== "Secret")) {
    const version = String(apiVersion ?? "");
    throw badRequest(
      `cannot bind token to object of type ${version.includes("/") ? version : `/${version}`}, Kind=${String(kind ?? "")}`,
    );
  }
  const resource = call.backend.registry.storageOf(kind === "Pod" ? "pods" : "secrets");
  const stored = resource && call.backend.storage.get(resource, call.namespace, String(name));
  if (stored === undefined) throw notFound({ group: "", plural: kind === "Pod" ? "pods" : "secrets" }, String(name));
  const { metadata, spec } = JSON.parse(stored.text) as AnyObject;
  if (kind === "Pod" && isObject(spec) && spec.serviceAccountName !== call.name) {
    const other = String(spec.serviceAccountName ?? "");
    throw badRequest(
      `cannot bind token for serviceaccount "${call.name}" to pod running with different serviceaccount name ("${other}")`,
    );
  }
  if (uid !== undefined && uid !== "" && uid !== metadata.uid) {
    const why = `the UID in the bound object reference (${String(uid)}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", plural: kind }, String(name), why);
  }
  return { kind, name: String(name), uid: metadata.uid ?? "" };
}
