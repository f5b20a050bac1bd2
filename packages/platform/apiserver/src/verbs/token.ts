import type { ApiResponse } from "@trivium/kube";
import { formatTime, isObject, type Json } from "@trivium/std";
import type { Call } from "../call.ts";
import { readBody } from "../decode.ts";
import { badRequest, invalid, notFound, refusal } from "../refusals.ts";
import { respond } from "../respond.ts";
import { objectAt } from "../storage.ts";

const hour = 3600;
const shortest = 600;
const longest = 2 ** 32;

/** `serviceaccounts/token`: a bearer token for a service account. */
export async function requestToken(call: Call): Promise<ApiResponse> {
  const { backend, resource } = call;
  const spec = specOf(call);
  const seconds = expirationOf(spec.expirationSeconds);
  const stored = backend.storage.get(resource, call.namespace, call.name);
  if (stored === undefined) throw notFound(resource, call.name);
  if (backend.tokens === undefined) {
    throw refusal(501, undefined, "this API server was started without a key to sign tokens of service accounts");
  }
  const audiences =
    Array.isArray(spec.audiences) && spec.audiences.length > 0
      ? spec.audiences.map(String)
      : ["https://kubernetes.default.svc"];
  const expires = backend.now() + seconds * 1000;
  const { uid = "" } = objectAt(resource, stored).metadata;
  const token = backend.tokens({ namespace: call.namespace, serviceAccount: call.name, uid, audiences, expires });
  const answer = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name: call.name, namespace: call.namespace, creationTimestamp: formatTime(backend.now()) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: formatTime(expires) },
  };
  return respond(call, 201, JSON.stringify(answer));
}

function specOf(call: Call): { [key: string]: Json } {
  const { value } = readBody({ kind: "TokenRequest" }, call.request.body || "{}", call.request.headers["content-type"]);
  if (!isObject(value)) throw badRequest("TokenRequest must be an object");
  return isObject(value.spec) ? value.spec : {};
}

function expirationOf(value: Json | undefined): number {
  if (value === undefined || value === null) return hour;
  if (typeof value === "number" && value >= shortest && value <= longest) return value;
  const detail =
    typeof value === "number" && value > longest
      ? "may not specify a duration larger than 2^32 seconds"
      : "may not specify a duration less than 10 minutes";
  throw invalid({ group: "authentication.k8s.io", kind: "TokenRequest" }, "", [
    { reason: "FieldValueInvalid", field: "spec.expirationSeconds", value, detail },
  ]);
}
