import type { Explanation, ServingDialect } from "@trivium/domain";
import { withoutFit } from "@trivium/engines";
import { type AnyObject, type DefinedKind, groupResourceOf, type KubeClient } from "@trivium/kube";
import { objectWarningAnswers, podLogAnswers, servedKindAnswers } from "@trivium/probes";
import type { Answered } from "@trivium/reconcile";
import { type SnapshotReads, takePass } from "@trivium/runtime";
import type { Instant } from "@trivium/std";

export interface DecidedBy {
  readonly kind: DefinedKind;
  /** With the options that they run with, as far as these are known. */
  readonly dialects: readonly ServingDialect[];
  /** Who answers what only the world outside the API knows; left out, nothing outside the API is asked. */
  readonly answers?: readonly Answered[] | undefined;
  readonly now: Instant;
}

/** What a decision says for itself, and all that it was based on. */
export interface ExplainedDecision {
  readonly explanation: Explanation;
  readonly reads: SnapshotReads;
}

/** Long enough for the logs of a few pods; what takes longer is left out. */
const patience = 15_000;

/**
 * What the decision itself says of an object: its reconciler observes the current state of the API, with the rights of the caller, and the dialect
 * explains what it makes of that.
 */
export async function explainDecision(
  client: KubeClient,
  object: AnyObject,
  { kind, dialects, answers, now }: DecidedBy,
): Promise<ExplainedDecision> {
  const dialect = dialects.find(({ group }) => group === kind.group);
  const ofKind = (dialect?.reconcilers ?? []).filter(
    (one) => groupResourceOf(one.kind) === groupResourceOf(kind) && one.only === undefined,
  );
  const explainer = dialect?.explainers.find((one) => ofKind.some(({ name }) => name === one.reconciler));
  const reconciler = ofKind.find(({ name }) => name === explainer?.reconciler) ?? ofKind[0];
  if (reconciler === undefined) return { explanation: {}, reads: { objects: [], answers: [], unreadable: [] } };
  const { namespace } = object.metadata;
  const signal = AbortSignal.timeout(patience);
  const outside = answers ?? apiAnswers(client);
  const pass = { client, answers: outside, now, signal, namespace };
  const decide = async (subject: AnyObject): Promise<ExplainedDecision> => {
    const { observed, reads } = await takePass(reconciler, subject, pass);
    return { explanation: explainer?.explain(subject, observed, now) ?? {}, reads };
  };
  // Of what serves the reconciler computes no sum again; a person wants to see its terms.
  const unsized = withoutFit(object as Sized) as AnyObject;
  const sized = await decide(unsized);
  return sized.explanation.fit === undefined && unsized !== object ? decide(object) : sized;
}

type Sized = AnyObject & Parameters<typeof withoutFit>[0];

/** What the API itself answers beyond its objects: logs, events, which kinds are served. */
export const apiAnswers = (client: KubeClient): readonly Answered[] => [
  ...podLogAnswers(client),
  ...objectWarningAnswers(client),
  ...servedKindAnswers(client),
];
