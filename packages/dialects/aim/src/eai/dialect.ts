import type { Explainer, ServingDialect } from "@trivium/domain";
import type { AnyObject } from "@trivium/kube";
import { ofUpstream } from "@trivium/reconcile";
import type { JsonObject } from "@trivium/std";
import { defaultTerms, type Terms } from "../terms.ts";
import { olderSibling } from "./convert.ts";
import { eaiGroup } from "./group.ts";
import { EaiService, eaiKinds } from "./kinds.ts";
import { newerKindName, swapKey, toNewer, toOlder } from "./objects.ts";
import { eaiStatusGuide, eaiWeightsReader, summarizeEaiService } from "./read-status.ts";
import { isInBoth, newerNameOf, ofNewerGroup } from "./translate-reconciler.ts";

/** Words that its messages have in place of those of the older group. */
export const newerTerms: Terms = {
  cacheKind: newerKindName(defaultTerms.cacheKind),
  retry: swapKey(defaultTerms.retry),
};

/** The same dialect under the group of newer releases: what differs is translated, everything is decided by the same code. */
export function inNewerGroup(aim: ServingDialect): ServingDialect {
  const { upstream } = aim;
  const reconcilers = aim.reconcilers.filter(isInBoth).map(ofNewerGroup);
  return {
    ...aim,
    name: "aim-eai",
    group: eaiGroup.group,
    kinds: eaiKinds,
    sibling: olderSibling,
    serviceKind: EaiService,
    statusGuide: eaiStatusGuide,
    explainers: aim.explainers.map(explainNewer),
    ...eaiWeightsReader,
    summarizeService: summarizeEaiService,
    readService: (service, others) => aim.readService(asWritten(service), others.map(toOlder)),
    writeService(service) {
      const written = aim.writeService(service);
      return written.is === "written" ? { ...written, objects: written.objects.map(toNewer) } : written;
    },
    reconcilers: upstream === undefined ? reconcilers : ofUpstream(upstream, eaiGroup.group, reconcilers),
  };
}

/** The older form of a service with the fields that a person wrote: a default is not one of them. */
function asWritten(service: AnyObject): AnyObject {
  const older = toOlder(service);
  if ((service.spec as JsonObject | undefined)?.caching !== undefined) return older;
  const { caching: _, ...spec } = (older.spec ?? {}) as JsonObject;
  return { ...older, spec };
}

const explainNewer = ({ reconciler, explain }: Explainer): Explainer => ({
  reconciler: newerNameOf(reconciler),
  explain: (object, observed, now) => explain(toOlder(object), observed, now),
});
