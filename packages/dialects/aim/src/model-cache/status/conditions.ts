import type { DecidedCondition } from "@trivium/kube";
import { condition, noFailure } from "../../conditions.ts";
import type { Terms } from "../../terms.ts";
import type { CacheState } from "../health/cache-state.ts";
import { claimFault } from "../health/claim-fault.ts";
import type { ObservedModelCache } from "../observe.ts";
import type { Headline } from "./headline.ts";

interface CacheReport {
  readonly state: CacheState;
  readonly observed: ObservedModelCache;
  readonly claimName: string;
  readonly headline: Headline;
  readonly terms: Terms;
}

export function conditionsOf(report: CacheReport): DecidedCondition[] {
  const { state, observed, headline: word } = report;
  const isStuck = state.is === "stuck" || state.is === "rechecking";
  const coarse = isStuck ? { ...word, reason: coarseReason(word.reason) } : word;
  const fault = "fault" in state ? state.fault : undefined;
  return [
    storageCondition(report),
    condition("Ready", state.is === "full" ? "True" : "False", coarse),
    condition("Progressing", isStuck || state.is === "full" ? "False" : "True", coarse),
    isStuck
      ? condition("Failure", "True", { ...coarse, message: `${word.message}${remedyOf(report)}` })
      : noFailure("NoFailure", { isReady: state.is === "full", message: word.message }),
    state.is === "full"
      ? condition("DownloadComplete", "True", { reason: "Verified", message: word.message })
      : condition("DownloadComplete", "False", fault ?? word),
    useCondition(observed),
  ];
}

/** These say themselves what to do. */
const plainReasons = ["PVCLost", "PVCTooSmall", "RuntimeConfigMissing", "CacheQuotaExceeded"];
const coarseReason = (reason: string): string => (plainReasons.includes(reason) ? reason : "DownloadFailed");
/** What is tried again anyway needs no word about it. */
function remedyOf({ state, headline: { reason }, terms: { retry } }: CacheReport): string {
  const isRetried = state.is === "rechecking" || (state.is === "stuck" && state.wait !== undefined);
  if (isRetried || plainReasons.includes(reason) || reason === "SourceNotAllowed") return "";
  return `. To retry, change the spec, or raise the annotation ${retry}`;
}

/** What is in use is not evicted. */
function useCondition({ users }: ObservedModelCache): DecidedCondition {
  const names = users.map(({ name }) => name).sort();
  if (names.length === 0) return condition("InUse", "False", { reason: "Unused", message: "Not used by any service" });
  const rest = names.length > 5 ? ` and ${names.length - 5} more` : "";
  const message = `Used by AIMService ${names.slice(0, 5).join(", ")}${rest}`;
  return condition("InUse", "True", { reason: "Mounted", message });
}

function storageCondition({ observed, claimName, state }: CacheReport): DecidedCondition {
  const type = "StorageReady";
  const { claim } = observed;
  if (state.is === "stuck" && state.fault.reason === "CacheQuotaExceeded") return condition(type, "False", state.fault);
  if (state.is === "queueing") return condition(type, "False", { reason: "WaitingForRoom", message: state.why });
  if (claim.is !== "known") {
    return state.is === "measuring"
      ? condition(type, "False", { reason: "WaitingForSize", message: "Waiting for the size of the weights" })
      : condition(type, "False", { reason: "PVCPending", message: "The PersistentVolumeClaim is not created yet" });
  }
  const { phase } = claim.value;
  if (state.is === "stuck" && state.fault.reason === "PVCTooSmall") return condition(type, "False", state.fault);
  if (phase === "Bound")
    return condition(type, "True", { reason: "PVCBound", message: "The PersistentVolumeClaim is bound" });
  if (phase === "Lost")
    return condition(type, "False", { reason: "PVCLost", message: "The volume of the PersistentVolumeClaim is lost" });
  const fault = claimFault({ observed, claimName }) ?? {
    reason: "PVCProvisioning",
    message: "Waiting for a volume for the PersistentVolumeClaim",
  };
  return condition(type, "False", fault);
}
