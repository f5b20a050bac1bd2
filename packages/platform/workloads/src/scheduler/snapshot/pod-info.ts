import { type Amounts, type Pod, requestsOf } from "@trivium/kube";
import { type HostPort, hostPortsOf } from "../filters/host-ports.ts";
import { type PodTerms, podTermsOf } from "../filters/pod-terms.ts";
import { likelyUseOf } from "./likely-use.ts";

/** A pod with everything that placing it, or anything beside it, has to know. */
export interface PodInfo {
  readonly pod: Pod;
  readonly key: string;
  readonly priority: number;
  readonly requests: Amounts;
  readonly likelyUse: Amounts;
  readonly ports: readonly HostPort[];
  readonly terms: PodTerms;
  /** Names of the claims it mounts. */
  readonly claims: readonly string[];
}

const known = new WeakMap<Pod, PodInfo>();

/** Pods come from caches and never change, so each is read once. */
export function podInfoOf(pod: Pod): PodInfo {
  const found = known.get(pod);
  if (found !== undefined) return found;
  const requests = requestsOf(pod);
  const podInfo: PodInfo = {
    pod,
    key: podKey(pod),
    priority: pod.spec?.priority ?? 0,
    requests,
    likelyUse: likelyUseOf(pod, requests),
    ports: hostPortsOf(pod),
    terms: podTermsOf(pod),
    claims: claimsOf(pod),
  };
  known.set(pod, podInfo);
  return podInfo;
}

export const podKey = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;

function claimsOf({ metadata, spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`];
  });
}

/** Takes room on its node: bound, and not over. */
export function takesResources({ spec, status }: Pod): boolean {
  return Boolean(spec?.nodeName) && !isOver(status?.phase);
}

export const isOver = (phase: string | undefined): boolean => phase === "Succeeded" || phase === "Failed";

/** Earlier and more important pods first, as they are kept when others must go. */
export function byImportance(a: PodInfo, b: PodInfo): number {
  return b.priority - a.priority || compareText(startOf(a), startOf(b)) || compareText(a.key, b.key);
}

/** A pod that has not started is younger than any that has. */
const startOf = ({ pod }: PodInfo): string => pod.status?.startTime ?? "9999";

export const compareText = (a: string, b: string): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);
