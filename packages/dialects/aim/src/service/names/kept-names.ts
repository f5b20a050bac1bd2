import { controllerOf, HTTPRoute, type Kind, KServeInferenceService, type KubeObject } from "@trivium/kube";
import { type Fact, known } from "@trivium/std";
import { labels } from "../../labels.ts";
import { labelValueOf } from "../../names.ts";
import type { ServiceReader } from "../observed/reads.ts";
import { engineNamesOf, type KeptNames, routeNameOf, type Service, workloadNameOf } from "./names.ts";

/** Objects of a service that AIM Engine has created under names of its own; what runs keeps its name. */
export interface ObservedNames {
  readonly workload?: Fact<true>;
  readonly route?: Fact<true>;
}

type Kept = typeof KServeInferenceService | typeof HTTPRoute;

export function observeNames(service: Service, reader: ServiceReader): { readonly kept?: ObservedNames } {
  const engine = engineNamesOf(service);
  const find = (kind: Kept, [usual, other]: readonly [string, string]) => {
    const { namespace } = service.metadata;
    if (reader.get(kind, { namespace, name: usual }).is !== "absent") return undefined;
    const live: Fact<KubeObject> = reader.get(kind as Kind, { namespace, name: other });
    if (live.is !== "known") return live.is === "absent" ? undefined : live;
    return isOf(service, live.value) ? known(true as const) : undefined;
  };
  const workload = find(KServeInferenceService, [workloadNameOf(service), engine.workload]);
  const route = find(HTTPRoute, [routeNameOf(service), engine.route]);
  if (workload === undefined && route === undefined) return {};
  return { kept: { ...(workload === undefined ? {} : { workload }), ...(route === undefined ? {} : { route }) } };
}

/** One that a service of the other group has left has no owner, and still its label. */
function isOf({ metadata: { name = "", uid } }: Service, live: KubeObject): boolean {
  const controller = controllerOf(live);
  if (controller !== undefined) return controller.uid === uid;
  const own = labelValueOf(name);
  return [labels.serviceName, engineLabel].some((label) => live.metadata.labels?.[label] === own);
}
const engineLabel = "aim.eai.amd.com/service";

/** The service with the names that its objects have. */
export function withKeptNames(service: Service, { kept }: { readonly kept?: ObservedNames }): Service {
  if (kept === undefined) return service;
  const { workload, route } = engineNamesOf(service);
  const names: KeptNames = {
    ...(kept.workload?.is === "known" ? { workload } : {}),
    ...(kept.route?.is === "known" ? { route } : {}),
  };
  return { ...service, kept: names };
}
