import { Job, type Kind } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { catalogPaths } from "../field-paths.ts";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "../kinds/service-template.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import type { Template } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import { type RefusedReasons, raiseRefused } from "../refused.ts";
import { lowerTemplate } from "./lower.ts";
import {
  clusterModelKinds,
  modelKinds,
  type ObservedTemplate,
  observeTemplate,
  runtimeKinds,
  type TemplateScope,
  templateReads,
} from "./observe.ts";
import { raiseTemplate } from "./raise.ts";
import { childrenOf } from "./roles/children.ts";

export const templateScopes: readonly TemplateScope[] = [
  {
    name: "aim.template",
    kind: AIMServiceTemplate as Kind<Template>,
    models: modelKinds,
    runtimes: runtimeKinds.namespaced,
  },
  {
    name: "aim.cluster-template",
    kind: AIMClusterServiceTemplate as Kind<Template>,
    models: clusterModelKinds,
    runtimes: runtimeKinds.cluster,
  },
];

/** Services can do without the cache of a template. */
const refusedWords: RefusedReasons = {
  paths: catalogPaths,
  state: "Degraded",
  parts: { AIMTemplateCache: "CacheWarm" },
  beside: ["AIMTemplateCache"],
};

/** A template asks its image once what it needs, when it is its turn, and keeps the answer. */
export function templateReconciler(scope: TemplateScope, options: AimOptions): Reconciler<Template, ObservedTemplate> {
  const hasCaches = scope.kind.namespaced;
  return {
    name: scope.name,
    kind: scope.kind,
    reads: templateReads,
    writes: [Job, scope.runtimes as Kind, ...(hasCaches ? [AIMTemplateCache as Kind] : [])],
    observe: (template, reader) => observeTemplate(template, reader, { scope, options }),
    decide(template, observed, now) {
      const namespace = template.metadata.namespace ?? options.operatorNamespace;
      const intent = lowerTemplate(template, observed, { now, options: options.discovery });
      const { status, notes } = raiseTemplate(template, intent, { observed, namespace });
      if (intent.is !== "judged") return { do: "hold", status, notes };
      const recheck = intent.recheckIn === undefined ? {} : { recheckIn: intent.recheckIn };
      const children = childrenOf(template, intent, { observed, scope, namespace });
      return { do: "converge", children, status, notes, ...recheck };
    },
    refused: (template, status, refusals) => raiseRefused(refusedWords, template, status, refusals),
  };
}
