import type { KubeClient, KubeObject, PodSecurityLevel } from "@trivium/kube";
import type { AnyReconciler } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import type { Contests } from "../adopt/contests.ts";
import type { AdoptPolicy } from "../adopt/policy.ts";
import type { Caches } from "../caches/caches.ts";
import type { Memory } from "./memory.ts";
import type { Report } from "./report.ts";

/** What carrying out one decision needs. */
export interface WriteContext<O extends KubeObject = KubeObject> {
  readonly reconciler: AnyReconciler;
  readonly reader: string;
  /** The object the decision is about. */
  readonly object: O;
  readonly client: KubeClient;
  readonly caches: Caches;
  readonly memory: Memory;
  /** The least that pods are held to, whatever their namespace says. */
  readonly podSecurityLevel: PodSecurityLevel;
  /** What this process runs: pods of another release are kept while nothing else changes. */
  readonly release: string | undefined;
  /** What happens to objects of another operator of the same API. */
  readonly adopt: AdoptPolicy;
  /** Which objects another operator keeps writing. */
  readonly contests: Contests;
  readonly now: Instant;
  readonly report: Report;
}
