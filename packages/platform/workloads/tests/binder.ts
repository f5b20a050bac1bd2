import { Pod, type PodStatus } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";

/** Gives every pod the node that it asks for by name, or the first one: enough for tests that are not about scheduling. */
export function binderTo(node: string): Reconciler<Pod, null> {
  return {
    name: "test-binder",
    kind: Pod,
    reads: [],
    writes: [Pod],
    observe: () => null,
    decide: (pod) => ({
      do: "converge",
      children: [],
      touches: [{ touch: "bind", ref: { name: pod.metadata.name ?? "" }, node: namedNode(pod) ?? node }],
      status: undefined as unknown as PodStatus,
    }),
  };
}

function namedNode({ spec }: Pod): string | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchFields }) => matchFields ?? []).find(({ key }) => key === "metadata.name")?.values?.[0];
}
