import type { PodSeen } from "@trivium/domain";
import { emitService, emitStatefulSet } from "@trivium/emitters";
import { findTrouble, summarizePod } from "@trivium/engines";
import { type Kind, Pod, Service, StatefulSet } from "@trivium/kube";
import type { Decision, Look, Note, Reconciler } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { condition, conditionsFor, generationOf } from "../conditions.ts";
import { AIMKVCache } from "../kinds/kv-cache.ts";
import {
  addressNameOf,
  type KVCache,
  type KVCacheStatus,
  planAddress,
  planRedis,
  port,
  setNameOf,
  usualSize,
} from "./redis.ts";

export interface KVCacheSeen {
  readonly set: Fact<{ readonly replicas: number; readonly ready: number }>;
  readonly address: Fact<true>;
  readonly pods: readonly PodSeen[];
}

const reads = [StatefulSet, Service, Pod] as const satisfies readonly Kind[];

export function kvCacheReconciler(): Reconciler<KVCache, KVCacheSeen, (typeof reads)[number]> {
  return {
    name: "aim.kv-cache",
    kind: AIMKVCache,
    reads,
    writes: [StatefulSet, Service],
    observe,
    decide(cache, seen): Decision<KVCacheStatus> {
      if (isDark(seen.set) || isDark(seen.address)) return { do: "hold", status: cache.status ?? {} };
      const set = emitStatefulSet(planRedis(cache));
      const children = [emitService(planAddress(cache)), set];
      return { do: "converge", children, ...raise(cache, seen) };
    },
  };
}

const isDark = ({ is }: Fact<unknown>): boolean => is === "pending" || is === "unreachable";

function observe(cache: KVCache, look: Look<(typeof reads)[number]>): KVCacheSeen {
  const { namespace } = cache.metadata;
  const set = look.get(StatefulSet, { namespace, name: setNameOf(cache) });
  const address = look.get(Service, { namespace, name: addressNameOf(cache) });
  const pods = look.list(Pod, { namespace, labels: planRedis(cache).selector });
  return {
    set:
      set.is === "known"
        ? known({ replicas: set.value.status?.replicas ?? 0, ready: set.value.status?.readyReplicas ?? 0 })
        : set,
    address: address.is === "known" ? known(true) : address,
    pods: pods.map((pod) => summarizePod(pod, "")),
  };
}

interface Verdict {
  readonly state: NonNullable<KVCacheStatus["status"]>;
  readonly reason: string;
  readonly message: string;
}

function judge({ set, address, pods }: KVCacheSeen): Verdict {
  if (set.is !== "known") return { state: "Pending", reason: "StatefulSetPending", message: "Its StatefulSet is made" };
  if (set.value.ready > 0 && address.is === "known")
    return { state: "Ready", reason: "StatefulSetReady", message: "The cache answers" };
  const trouble = findTrouble(pods);
  if (trouble === undefined) return { state: "Progressing", reason: "WaitingForPods", message: "Its pod is starting" };
  const message = `Pod ${trouble.pod}: ${trouble.message}`;
  // A node or a volume may still come; an image or a program that fails will not mend itself.
  const isWaiting = ["unschedulable", "volume", "evicted"].includes(trouble.kind);
  return isWaiting
    ? { state: "Progressing", reason: "WaitingForPods", message }
    : { state: "Failed", reason: "StatefulSetFailed", message };
}

const events = {
  Pending: "KVCachePending",
  Progressing: "KVCacheProgressing",
  Ready: "KVCacheReady",
  Failed: "ReconciliationFailed",
} as const;

function raise(cache: KVCache, seen: KVCacheSeen): { status: KVCacheStatus; notes: Note[] } {
  const { state, reason, message } = judge(seen);
  const word = { reason, message };
  const [set, address] = [setNameOf(cache), addressNameOf(cache)];
  const status: KVCacheStatus = {
    ...generationOf(cache),
    status: state,
    statefulSetName: set,
    serviceName: address,
    endpoint: `redis://${address}.${cache.metadata.namespace}:${port}`,
    replicas: 1,
    readyReplicas: seen.set.is === "known" ? seen.set.value.ready : 0,
    storageSize: String(cache.spec?.storage?.size ?? usualSize),
    ...(state === "Failed" ? { lastError: message } : {}),
    conditions: conditionsFor(cache, [
      condition("Ready", state === "Ready" ? "True" : "False", word),
      condition("Progressing", state === "Progressing" ? "True" : "False", word),
      state === "Failed"
        ? condition("Failure", "True", word)
        : condition("Failure", "False", { reason: "NoFailure", message: "Nothing is wrong" }),
    ]),
  };
  return { status, notes: [{ type: state === "Failed" ? "Warning" : "Normal", reason: events[state], message }] };
}
