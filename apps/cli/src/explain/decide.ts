import type { Explanation, ServingDialect } from "@trivium/domain";
import type { AnyObject, DefinedKind, KubeClient } from "@trivium/kube";
import { objectWarningAnswers, podLogAnswers, servedKindAnswers } from "@trivium/probes";
import type { AnyReconciler } from "@trivium/reconcile";
import { takePass } from "@trivium/runtime";

export interface DecidedBy {
  readonly kind: DefinedKind;
  /** With the options that they run with, as far as these are known. */
  readonly dialects: readonly ServingDialect[];
}

/** Long enough for the logs of a few pods; what takes longer is left out. */
const patience = 15_000;

/**
 * What the decision itself says of an object: its reconciler observes the current state of the API, with the rights of the caller, and the dialect
 * explains what it makes of that. Nothing outside the API is asked.
 */
export async function explainDecision(
  client: KubeClient,
  object: AnyObject,
  { kind, dialects }: DecidedBy,
): Promise<Explanation> {
  const dialect = dialects.find(({ group }) => group === kind.group);
  const explained = dialect?.explainers.flatMap(({ reconciler: name, explain }) => {
    const reconciler = dialect.reconcilers.find((one) => one.name === name && isOf(one, kind));
    return reconciler === undefined ? [] : [{ reconciler, explain }];
  });
  const [found] = explained ?? [];
  if (found === undefined) return {};
  const answers = [...podLogAnswers(client), ...objectWarningAnswers(client), ...servedKindAnswers(client)];
  const now = Date.now();
  const { namespace } = object.metadata;
  const signal = AbortSignal.timeout(patience);
  const { observed } = await takePass(found.reconciler, object, { client, answers, now, signal, namespace });
  return found.explain(object, observed, now);
}

const isOf = ({ kind }: AnyReconciler, { kind: name }: DefinedKind): boolean => kind.kind === name;
