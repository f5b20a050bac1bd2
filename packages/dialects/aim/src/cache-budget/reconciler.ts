import { planSpace } from "@trivium/engines";
import { type Kind, Namespace } from "@trivium/kube";
import { hasUnresolved, type Reconciler } from "@trivium/reconcile";
import { AIMModelCache } from "../kinds/model-cache.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import { defaultTerms, type Terms } from "../terms.ts";
import { lowerCaches } from "./lower.ts";
import { budgetReads, type ObservedBudget, observeBudget } from "./observe.ts";
import { raiseSpace } from "./raise.ts";

const remedy = "raise storage.maxCacheBytes in the runtime config, or delete caches";

/** How much space the model caches of a namespace can use together is decided for all of them in one pass. */
export function cacheBudget(
  terms: Terms = defaultTerms,
): Reconciler<Namespace, ObservedBudget, (typeof budgetReads)[number]> {
  return {
    name: "aim.cache-budget",
    kind: Namespace,
    keepsStatus: true,
    reads: budgetReads,
    writes: [],
    patches: [
      { kind: AIMModelCache as Kind, verbs: ["patch", "delete"] },
      { kind: AIMTemplateCache as Kind, verbs: ["delete"] },
    ],
    observe: observeBudget,
    decide({ metadata, status = {} }, observed) {
      const namespace = metadata.name ?? "";
      if (metadata.deletionTimestamp !== undefined) return { do: "converge", children: [], status };
      if (hasUnresolved(observed)) return { do: "hold", status };
      const plan = planSpace(lowerCaches(observed), { kind: terms.cacheKind, remedy, namespace });
      return { do: "converge", children: [], patches: raiseSpace(namespace, plan, observed, terms), status };
    },
  };
}
