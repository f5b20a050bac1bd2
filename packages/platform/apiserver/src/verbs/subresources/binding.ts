import type { ApiResponse } from "@trivium/kube";
import { formatTime, isObject, type JsonObject } from "@trivium/std";
import { readBody } from "../../body/decode.ts";
import type { Call } from "../../call.ts";
import { writeOptions } from "../../options.ts";
import { badRequest, conflict, invalid, notFound } from "../../refusals.ts";
import { respond } from "../../respond.ts";
import { objectAt } from "../../storage/storage.ts";

/** `pods/binding`: a scheduler gives a pod to a node, once. */
export async function bind(call: Call): Promise<ApiResponse> {
  const { backend, resource } = call;
  const options = writeOptions(call, "CreateOptions");
  const node = targetOf(call);
  const stored = backend.storage.get(resource, call.namespace, call.name);
  if (stored === undefined) throw notFound(resource, call.name);
  const live = objectAt(resource, stored);
  const spec = live.spec as JsonObject;
  if (live.metadata.deletionTimestamp !== undefined) {
    throw conflict(
      { group: "", plural: "pods/binding" },
      call.name,
      `pod ${call.name} is being deleted, cannot be assigned to a host`,
    );
  }
  if (spec.nodeName !== undefined && spec.nodeName !== "") {
    throw conflict(
      { group: "", plural: "pods/binding" },
      call.name,
      `pod ${call.name} is already assigned to node ${JSON.stringify(spec.nodeName)}`,
    );
  }
  const next = structuredClone(live);
  next.spec = { ...spec, nodeName: node };
  next.status = scheduled(next.status as JsonObject | undefined, formatTime(backend.now()));
  if (!options.dryRun) await backend.storage.put(resource, next, stored.revision);
  const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return respond(call, 201, JSON.stringify(success));
}

function targetOf(call: Call): string {
  const { value } = readBody({ kind: "Binding" }, call.request.body ?? "", call.request.headers["content-type"]);
  if (!isObject(value)) throw badRequest("Binding must be an object");
  if (!isObject(value.metadata) || value.metadata.name !== call.name) {
    throw badRequest("name in URL does not match name in Binding object");
  }
  const target = isObject(value.target) ? value.target : {};
  const faults = [];
  if (target.kind !== undefined && target.kind !== "" && target.kind !== "Node" && target.kind !== "Minion") {
    const supported = ["Node", "<empty>"];
    faults.push({
      reason: "FieldValueNotSupported",
      field: "target.kind",
      value: target.kind,
      detail: "",
      supported,
    } as const);
  }
  if (typeof target.name !== "string" || target.name === "") {
    faults.push({ reason: "FieldValueRequired", field: "target.name", detail: "" } as const);
  }
  if (faults.length > 0) throw invalid({ group: "", kind: "Binding" }, call.name, faults);
  return target.name as string;
}

/** With a node of its own a pod needs no promise of one any more. */
function scheduled(before: JsonObject | undefined, now: string): JsonObject {
  const { nominatedNodeName: _, ...status } = before ?? {};
  const conditions = Array.isArray(status.conditions) ? status.conditions : [];
  const others = conditions.filter((one) => !isObject(one) || one.type !== "PodScheduled");
  return {
    ...status,
    conditions: [...others, { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now }],
  };
}
