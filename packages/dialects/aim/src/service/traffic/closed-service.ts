import { emitService } from "@trivium/emitters";
import { findCondition } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { labels } from "../../labels.ts";
import { labelValueOf } from "../../names.ts";
import { addressNameOf, type Service, type ServiceStatus } from "../names/names.ts";
import { isOnKServe, type ObservedService } from "../observed/observed-service.ts";
import { selectorOf } from "../roles/workload.ts";

/**
 * The address of a service for which nothing runs yet: the gateway starts nothing for it, and gives callers the cause. On KServe the
 * address is KServe's.
 */
export function closedService(service: Service, status: ServiceStatus, observed: ObservedService): Desired[] {
  if (isOnKServe(observed) || observed.deployment.is !== "absent") return [];
  const { name = "" } = service.metadata;
  const why = closureOf(name, status);
  const plan = {
    name: addressNameOf(service),
    labels: { [labels.serviceName]: labelValueOf(name) },
    annotations: { "trivium.dev/models": name, "trivium.dev/closed": why },
    selector: selectorOf(service),
    type: "ClusterIP",
    ports: [{ name: "http", port: 80, target: "http" }],
  } as const;
  return [emitService(plan)];
}

/** Without figures while something is in progress: the Service is not written again for each of them. */
function closureOf(name: string, { status, conditions }: ServiceStatus): string {
  const ready = findCondition(conditions, "Ready");
  return status === "Starting"
    ? `AIMService ${name} is starting (${ready?.reason}); check the progress with kubectl describe aimservice ${name}`
    : (ready?.message ?? "");
}
