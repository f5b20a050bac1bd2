import { type DecidedCondition, type Kind, StorageClass } from "@trivium/kube";
import { type Note, type Reconciler, type Tolerated, tolerate } from "@trivium/reconcile";
import { type Fact, known, parseDuration } from "@trivium/std";
import { conditionsFor, generationOf } from "../conditions.ts";
import type { RuntimeConfig } from "../objects.ts";
import { bytesOf } from "../storage/claim-size.ts";
import { settingsOf } from "./settings/merge-settings.ts";
import { faultOfPathTemplate } from "./settings/path-template.ts";

export interface RuntimeConfigFacts {
  /** The storage class that it names, where it names one. */
  readonly storageClass?: Tolerated<true>;
}

/** A config makes nothing; whoever follows it reads it. What is decided is whether it makes sense. */
export function runtimeConfigReconciler(
  name: string,
  kind: Kind<RuntimeConfig>,
): Reconciler<RuntimeConfig, RuntimeConfigFacts, typeof StorageClass> {
  return {
    name,
    kind,
    reads: [StorageClass],
    writes: [],
    observe({ spec }, reader) {
      const { storageClassName } = settingsOf(spec ?? {});
      if (!storageClassName) return {};
      const found = reader.get(StorageClass, { name: storageClassName });
      return { storageClass: tolerate(found.is === "known" ? known(true) : found) };
    },
    decide(config, observed) {
      const storageClass = observed.storageClass?.tolerated;
      const faults = faultsOf(config);
      const conditions = [validity(faults), ...storageCondition(config, storageClass)];
      const status = { ...generationOf(config), conditions: conditionsFor(config, conditions) };
      return { do: "hold", status, notes: conditions.flatMap(warningOf) };
    },
  };
}

function faultsOf({ spec }: RuntimeConfig): string[] {
  const { routing, headroomPercent = 0, env, maxCacheBytes } = settingsOf(spec ?? {});
  const path = routing.pathTemplate === undefined ? undefined : faultOfPathTemplate(routing.pathTemplate);
  const timeout = routing.requestTimeout;
  const nameless = env.some(({ name }) => name === "");
  return [
    ...(path === undefined ? [] : [`spec.routing.pathTemplate: ${path}`]),
    ...(headroomPercent < 0 ? ["spec.pvcHeadroomPercent must not be negative"] : []),
    ...(maxCacheBytes === undefined || bytesOf(maxCacheBytes) !== undefined
      ? []
      : [`spec.storage.maxCacheBytes: ${maxCacheBytes} is not a valid quantity (expected e.g. 500Gi or 2Ti)`]),
    ...(timeout === undefined || (parseDuration(timeout) ?? 0) > 0
      ? []
      : [`spec.routing.requestTimeout: ${timeout} is not a valid duration (expected e.g. 30s or 5m)`]),
    ...(nameless ? ["spec.env has a variable without a name"] : []),
  ];
}

function validity(faults: readonly string[]): DecidedCondition {
  if (faults.length === 0) return { type: "Ready", status: "True", reason: "Valid", message: "All settings are valid" };
  return {
    type: "Ready",
    status: "False",
    reason: "Invalid",
    message: `${faults.join("; ")}; correct the runtime config`,
  };
}

function storageCondition({ spec }: RuntimeConfig, found: Fact<true> | undefined): DecidedCondition[] {
  const { storageClassName = "" } = settingsOf(spec ?? {});
  const type = "StorageClassFound";
  if (found?.is === "absent") {
    const message = `StorageClass ${storageClassName} not found; volumes of this class stay pending until it is created`;
    return [{ type, status: "False", reason: "StorageClassNotFound", message }];
  }
  if (found?.is !== "known") return [];
  return [{ type, status: "True", reason: type, message: `StorageClass ${storageClassName} exists` }];
}

const warningOf = ({ status, reason, message }: DecidedCondition): Note[] =>
  status === "False" ? [{ type: "Warning", reason, message }] : [];
