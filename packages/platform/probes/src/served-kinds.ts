import { isServed } from "@trivium/domain";
import type { KubeClient } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";

/** Answers what the API serves besides what Kubernetes and the dialects bring. */
export function servedKindAnswers(client: KubeClient): Answered[] {
  return [
    answer(isServed, async ({ group, kind }, { signal }) => {
      const served = await client.discover({ signal });
      return served.some((one) => one.group === group && one.kind === kind);
    }) as Answered,
  ];
}
