import type { ServingDialect } from "@trivium/domain";
import { withKind } from "@trivium/explain";
import { apiVersionOf, groupResourceOf, isReason, type Job, type Kind, type KubeClient } from "@trivium/kube";
import type { ModelStoreApi } from "@trivium/local";
import type { Instant } from "@trivium/std";
import { idOf, type PlannedObject } from "../difference.ts";
import type { CountedAnswers } from "../gate.ts";
import { bindClaims } from "./bind-claims.ts";
import type { AssumptionContext } from "./context.ts";
import { holdModels } from "./hold-models.ts";
import { playJobs } from "./play-jobs.ts";
import type { PlayedLogs } from "./played-logs.ts";

export { findLocalImages } from "./find-image.ts";
export { modelReading, modelReadingAnswer } from "./model-reading.ts";
export { hasEnded } from "./play-jobs.ts";
export { type PlayedLogs, withPlayedLogs } from "./played-logs.ts";
export { type StartedPods, startPods } from "./start-pods.ts";

export interface AssumptionInput {
  readonly client: KubeClient;
  readonly asked: CountedAnswers;
  readonly logs: PlayedLogs;
  readonly now: Instant;
  readonly before: readonly PlannedObject[];
  readonly dialects: readonly ServingDialect[];
  readonly modelStore: ModelStoreApi;
}

export interface Assumptions {
  /** Carries out what is assumed at this point; false where nothing is left to assume. */
  advance(): Promise<boolean>;
  /** The planned state without what was only assumed. */
  withoutAssumed(after: readonly PlannedObject[]): PlannedObject[];
}

/**
 * A plan assumes that volumes are provisioned and downloads succeed: what follows from them is part of it. Nothing else that a pod would
 * do is assumed, since its outcome cannot be known.
 */
export function assume(input: AssumptionInput): Assumptions {
  const { before } = input;
  const assumed = new Set<string>();
  const was = new Map(before.map((one) => [idOf(one), one.object.metadata.generation]));
  const context: AssumptionContext = {
    ...input,
    isNew: (kind, object) => {
      const id = idOf({ kind, object: withKind(kind, object) });
      return !was.has(id) || was.get(id) !== object.metadata.generation;
    },
    downloads: (job) => downloads(job, input),
    assume: (kind, { namespace = "", name }) => assumed.add(keyOf(kind, namespace, name)),
  };
  const isAssumed = ({ kind, object: { metadata } }: PlannedObject): boolean =>
    assumed.has(keyOf(kind, metadata.namespace ?? "", metadata.name ?? ""));
  return {
    async advance() {
      const steps = [await bindClaims(context), await playJobs(context), await holdModels(context)];
      return steps.some((one) => one);
    },
    withoutAssumed: (after) => [...after.filter((one) => !isAssumed(one)), ...before.filter(isAssumed)],
  };
}

const keyOf = (kind: Kind, namespace: string, name: string): string => `${groupResourceOf(kind)} ${namespace}/${name}`;

/** The owner names weights, so the Job is the one that downloads them. */
async function downloads({ metadata }: Job, { client, dialects }: AssumptionInput): Promise<boolean> {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const dialect = dialects.find(({ group }) => owner?.apiVersion.startsWith(`${group}/`));
  const kind = dialect?.kinds.find((one) => one.kind === owner?.kind && apiVersionOf(one) === owner.apiVersion);
  if (owner === undefined || dialect === undefined || kind === undefined) return false;
  const { namespace = "" } = metadata;
  const ref = kind.namespaced ? { namespace, name: owner.name } : { name: owner.name };
  const object = await client.get(kind, ref).catch((error: unknown) => {
    if (isReason(error, "NotFound")) return undefined;
    throw error;
  });
  return object !== undefined && dialect.weightsOf(withKind(kind, object)) !== undefined;
}
