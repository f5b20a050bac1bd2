import type { Job, Kind, KubeClient, KubeObject } from "@trivium/kube";
import type { ModelStoreApi } from "@trivium/local";
import type { Instant } from "@trivium/std";
import type { CountedAnswers } from "../gate.ts";
import type { PlayedLogs } from "./played-logs.ts";

/** What the steps of a plan share that no reconciler carries out. */
export interface AssumptionContext {
  readonly client: KubeClient;
  readonly asked: CountedAnswers;
  readonly logs: PlayedLogs;
  readonly now: Instant;
  readonly modelStore: ModelStoreApi;
  /** Whether the manifests created or changed it: what happened before stays as it was. */
  isNew(kind: Kind, object: KubeObject): boolean;
  /** Whether a Job downloads weights for its owner. */
  downloads(job: Job): Promise<boolean>;
  /** Notes an object that is written on behalf of a node: it is not part of the plan. */
  assume(kind: Kind, ref: { readonly namespace?: string; readonly name: string }): void;
}
