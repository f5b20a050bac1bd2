import type { ObservedPod } from "@trivium/domain";
import { emitService, emitStatefulSet } from "@trivium/emitters";
import { diagnose, findFailure, formatDiagnosis, observePod, podReads } from "@trivium/engines";
import { type Kind, Pod, Secret, Service, StatefulSet } from "@trivium/kube";
import { type Decision, hasUnresolved, type Note, type Reader, type Reconciler } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { condition, conditionsFor, generationOf, noFailure } from "../conditions.ts";
import { kvCachePaths } from "../field-paths.ts";
import { AIMKVCache } from "../kinds/kv-cache.ts";
import { raiseRefused } from "../refused.ts";
import {
  addressNameOf,
  defaultSize,
  type KVCache,
  type KVCacheStatus,
  type ObservedStorage,
  passwordOf,
  planAddress,
  planRedis,
  port,
  setNameOf,
} from "./roles/redis.ts";

export interface ObservedKVCache {
  readonly set: Fact<ObservedSet>;
  readonly address: Fact<true>;
  /** Whether the password is where the spec says; never what it is. */
  readonly password?: Fact<{ readonly hasKey: boolean }>;
  readonly pods: readonly ObservedPod[];
}

export interface ObservedSet {
  readonly replicas: number;
  readonly ready: number;
  readonly storage?: ObservedStorage;
}

const reads = [StatefulSet, Service, Pod, Secret, ...podReads] as const satisfies readonly Kind[];

export function kvCacheReconciler(): Reconciler<KVCache, ObservedKVCache, (typeof reads)[number]> {
  return {
    name: "aim.kv-cache",
    kind: AIMKVCache,
    reads,
    writes: [StatefulSet, Service],
    observe,
    decide(cache, observed): Decision<KVCacheStatus> {
      if (hasUnresolved(observed)) return { do: "hold", status: cache.status ?? {} };
      const set = emitStatefulSet(planRedis(cache, storageOf(observed)));
      const children = [
        {
          ...emitService(planAddress(cache)),
          events: { made: note("ServiceCreation", `Service ${addressNameOf(cache)}`) },
        },
        { ...set, events: { made: note("StatefulSetCreation", `StatefulSet ${setNameOf(cache)}`) } },
      ];
      return { do: "converge", children, ...raise(cache, observed) };
    },
    refused(cache, status, refusals) {
      const refused = raiseRefused({ paths: kvCachePaths, state: "Failed" }, cache, status, refusals);
      const failure = refused.conditions?.find(({ type }) => type === "Failure");
      return failure?.status === "True" ? { ...refused, lastError: failure.message } : refused;
    },
  };
}

const note = (reason: string, created: string): Note => ({ type: "Normal", reason, message: `Created ${created}` });

const storageOf = ({ set }: ObservedKVCache): ObservedStorage | undefined =>
  set.is === "known" ? set.value.storage : undefined;

function observe(cache: KVCache, reader: Reader<(typeof reads)[number]>): ObservedKVCache {
  const { namespace } = cache.metadata;
  const set = reader.get(StatefulSet, { namespace, name: setNameOf(cache) });
  const address = reader.get(Service, { namespace, name: addressNameOf(cache) });
  const pods = reader.list(Pod, { namespace, labels: planRedis(cache).selector });
  return {
    set: set.is === "known" ? known(observedSet(set.value)) : set,
    address: address.is === "known" ? known(true) : address,
    ...observePassword(cache, reader),
    pods: pods.map((pod) => observePod(pod, "", reader)).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function observedSet({ spec, status }: StatefulSet): ObservedSet {
  const claim = spec?.volumeClaimTemplates?.[0]?.spec;
  const size = claim?.resources?.requests?.storage;
  const { storageClassName: storageClass, accessModes = [] } = claim ?? {};
  return {
    replicas: status?.replicas ?? 0,
    ready: status?.readyReplicas ?? 0,
    ...(size === undefined
      ? {}
      : {
          storage: {
            size: String(size),
            ...(storageClass === undefined ? {} : { storageClass }),
            accessModes: [...accessModes],
          },
        }),
  };
}

function observePassword(cache: KVCache, reader: Reader<(typeof reads)[number]>): Pick<ObservedKVCache, "password"> {
  const place = passwordOf(cache);
  if (place === undefined) return {};
  const secret = reader.get(Secret, { namespace: cache.metadata.namespace, name: place.name });
  if (secret.is !== "known") return { password: secret };
  return { password: known({ hasKey: Object.hasOwn(secret.value.data ?? {}, place.key) }) };
}

interface Outcome {
  readonly state: NonNullable<KVCacheStatus["status"]>;
  readonly reason: string;
  readonly message: string;
}

function judge(cache: KVCache, observed: ObservedKVCache): Outcome {
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
  // A node or a volume may still come; an image or a program that fails will not mend itself.
  const isWaiting = failure.isPassing || ["unschedulable", "volume", "evicted"].includes(failure.kind);
  return isWaiting
    ? { state: "Progressing", reason: "WaitingForPods", message }
    : { state: "Failed", reason: "StatefulSetFailed", message };
}

function passwordFault(cache: KVCache, { password }: ObservedKVCache): string | undefined {
  const place = passwordOf(cache);
  if (place === undefined || password === undefined) return undefined;
  if (password.is === "absent") return `Secret ${place.name} not found; create it, or change spec.passwordSecret`;
  const isEmpty = password.is === "known" && !password.value.hasKey;
  return isEmpty ? `Secret ${place.name} has no key ${place.key}; add it, or change spec.passwordSecret` : undefined;
}

const events = {
  Pending: "KVCachePending",
  Progressing: "KVCacheProgressing",
  Ready: "KVCacheReady",
  Failed: "ReconciliationFailed",
} as const;

function raise(cache: KVCache, observed: ObservedKVCache): { status: KVCacheStatus; notes: Note[] } {
  const { state, reason, message } = judge(cache, observed);
  const word = { reason, message };
  const [set, address] = [setNameOf(cache), addressNameOf(cache)];
  const status: KVCacheStatus = {
    ...generationOf(cache),
    status: state,
    statefulSetName: set,
    serviceName: address,
    endpoint: `redis://${address}.${cache.metadata.namespace}:${port}`,
    replicas: 1,
    readyReplicas: observed.set.is === "known" ? observed.set.value.ready : 0,
    storageSize: storageOf(observed)?.size ?? String(cache.spec?.storage?.size ?? defaultSize),
    ...(state === "Failed" ? { lastError: message } : {}),
    conditions: conditionsFor(cache, [
      condition("Ready", state === "Ready" ? "True" : "False", word),
      condition("Progressing", state === "Progressing" ? "True" : "False", word),
      state === "Failed"
        ? condition("Failure", "True", word)
        : noFailure("NoFailure", { isReady: state === "Ready", message }),
    ]),
  };
  return { status, notes: [{ type: state === "Failed" ? "Warning" : "Normal", reason: events[state], message }] };
}
