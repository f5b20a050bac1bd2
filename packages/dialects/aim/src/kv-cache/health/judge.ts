import { diagnose, diagnoseMissing, findFailure, formatDiagnosis } from "@trivium/engines";
import { kvCachePaths } from "../../field-paths.ts";
import { type KVCache, type KVCacheStatus, passwordOf, setNameOf } from "../names/names.ts";
import type { ObservedKVCache } from "../observe.ts";

export interface KVCacheOutcome {
  readonly state: NonNullable<KVCacheStatus["status"]>;
  readonly reason: string;
  readonly message: string;
}

export function judgeKVCache(cache: KVCache, observed: ObservedKVCache): KVCacheOutcome {
  const { set, address, pods } = observed;
  if (set.is !== "known")
    return { state: "Pending", reason: "StatefulSetPending", message: `Creating StatefulSet ${setNameOf(cache)}` };
  if (set.value.ready > 0 && address.is === "known")
    return { state: "Ready", reason: "StatefulSetReady", message: "The KV cache is ready" };
  const missing = passwordFault(cache, observed);
  if (missing !== undefined) return { state: "Failed", reason: "SecretNotFound", message: missing };
  const failure = findFailure(pods);
  if (failure === undefined)
    return { state: "Progressing", reason: "WaitingForPods", message: "Waiting for pods: 0 of 1 ready" };
  const message = formatDiagnosis(diagnose(failure, { paths: kvCachePaths }));
  // A node or a volume may still become available; an image or a program that fails needs a change.
  const isWaiting = failure.isPassing || ["unschedulable", "volume", "evicted"].includes(failure.kind);
  return isWaiting
    ? { state: "Progressing", reason: "WaitingForPods", message }
    : { state: "Failed", reason: "StatefulSetFailed", message };
}

function passwordFault(cache: KVCache, { password }: ObservedKVCache): string | undefined {
  const place = passwordOf(cache);
  if (place === undefined || password === undefined) return undefined;
  if (password.is === "absent")
    return formatDiagnosis(
      diagnoseMissing({ kind: "Secret", names: [place.name], instead: "change spec.passwordSecret" }),
    );
  const isEmpty = password.is === "known" && !password.value.hasKey;
  return isEmpty ? `Secret ${place.name} has no key ${place.key}; add it, or change spec.passwordSecret` : undefined;
}
