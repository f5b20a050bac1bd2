import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import { conditionsFor, generationOf } from "../conditions.ts";
import type { RuntimeConfig } from "../objects.ts";
import { eventsOf } from "./events.ts";
import type { ObservedConfig } from "./observe.ts";
import { settingsOf } from "./settings/merge-settings.ts";

type Status = NonNullable<RuntimeConfig["status"]>;

export function raiseConfig(
  config: RuntimeConfig,
  faults: readonly string[],
  { storageClass }: ObservedConfig,
): { readonly status: Status; readonly notes: Note[] } {
  const conditions = [validity(faults), ...storageCondition(config, storageClass?.tolerated)];
  return {
    status: { ...generationOf(config), conditions: conditionsFor(config, conditions) },
    notes: eventsOf(conditions),
  };
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
