import type { KubeObject } from "@trivium/kube";
import type { AdmissionRequest, AdmissionResult, AdmissionVerb } from "@trivium/reconcile";
import { formatFieldError, formatFieldErrorBody } from "@trivium/schema";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import type { Admitter } from "./admit.ts";
import { patchBetween } from "./webhook-patch.ts";
import type { WebhookPath } from "./webhook-path.ts";

/** A body that is no review of this kind; told to whoever sent it. */
export class NoReview extends Error {}

const apiVersion = "admission.k8s.io/v1";
const verbs: Readonly<Record<string, AdmissionVerb>> = { CREATE: "create", UPDATE: "update", DELETE: "delete" };

interface Review {
  readonly uid: string;
  readonly request: AdmissionRequest;
}

/** Answers an AdmissionReview as it came over the wire. */
export function answerReview({ does, admission }: WebhookPath, admitter: Admitter, text: string): JsonObject {
  const { kind } = admission;
  const { uid, request } = readReview(text, kind);
  if (does === "judge") return review({ uid, ...outcomeOf(admitter.judge(kind, request), request, kind) });
  const filled = admitter.fill(kind, request);
  const patch = patchBetween(request.object as unknown as Json, filled as unknown as Json);
  if (patch.length === 0) return review({ uid, allowed: true });
  const encoded = Buffer.from(JSON.stringify(patch)).toString("base64");
  return review({ uid, allowed: true, patchType: "JSONPatch", patch: encoded });
}

const review = (response: JsonObject): JsonObject => ({ apiVersion, kind: "AdmissionReview", response });

function readReview(text: string, { group, kind }: { readonly group: string; readonly kind: string }): Review {
  const body = parsed(text);
  if (!isObject(body) || body.kind !== "AdmissionReview") throw new NoReview("expected an AdmissionReview");
  if (body.apiVersion !== apiVersion) throw new NoReview(`expected an AdmissionReview of ${apiVersion}`);
  const { request } = body;
  if (!isObject(request)) throw new NoReview("the review has no request");
  const { uid, operation, object, oldObject } = request;
  if (typeof uid !== "string" || uid === "" || uid.length > 256) throw new NoReview("the request has no uid");
  const verb = typeof operation === "string" && Object.hasOwn(verbs, operation) ? verbs[operation] : undefined;
  if (verb === undefined) throw new NoReview("the operation of the request is not CREATE, UPDATE or DELETE");
  const meant = verb === "delete" ? oldObject : object;
  const isMeant = (value: Json | undefined): value is JsonObject =>
    isObject(value) && value.kind === kind && String(value.apiVersion).startsWith(`${group}/`);
  if (!isMeant(meant) || !isObject(meant.metadata)) throw new NoReview(`the request contains no ${kind} of ${group}`);
  const old = verb === "update" && isMeant(oldObject) ? { old: oldObject as unknown as KubeObject } : {};
  return { uid, request: { verb, object: meant as unknown as KubeObject, ...old } };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new NoReview("the body is not JSON");
  }
}

/** A server hands on at most so much of each warning, and so much of all. */
const longestWarning = 256;
const maxWarnings = 12;

function outcomeOf(
  { faults, warnings }: AdmissionResult,
  { object }: AdmissionRequest,
  { group, kind }: { readonly group: string; readonly kind: string },
): JsonObject {
  const shortened = warnings.slice(0, maxWarnings).map(shorten);
  const reported: JsonObject = shortened.length === 0 ? {} : { warnings: shortened };
  if (faults.length === 0) return { allowed: true, ...reported };
  const { name = "" } = object.metadata;
  const causes = faults.map((fault) => ({
    reason: fault.reason,
    field: fault.field,
    message: formatFieldErrorBody(fault),
  }));
  const status = {
    status: "Failure",
    reason: "Invalid",
    code: 422,
    message: `${kind}.${group} "${name}" is invalid: ${[...new Set(faults.map(formatFieldError))].join(", ")}`,
    details: { name, group, kind, causes },
  };
  return { allowed: false, status, ...reported };
}

const shorten = (text: string): string =>
  text.length <= longestWarning ? text : `${text.slice(0, longestWarning - 3)}...`;
