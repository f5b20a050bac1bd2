import type { IngressPlan, IngressRulePlan } from "@trivium/domain";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { type EntryComponent, type EntryComponents, portOf } from "./component.ts";
import { entryLabels } from "./entry-labels.ts";
import type { OpenEntry } from "./entry-plan.ts";

/** One Ingress with a rule for every host, of the service and of each component where there are several. */
export function planIngress(
  service: InferenceService,
  { components, entry }: EntryComponents,
  { hosts, settings }: OpenEntry,
): IngressPlan {
  const rulesOf = (names: readonly string[], target: EntryComponent) => names.map((host) => ruleTo(host, target));
  // A host of a component may have been chosen to be that of the service; the service comes first.
  const rules = [
    ...rulesOf(hosts.top, entry),
    ...components.flatMap((component) => rulesOf(hosts.components[component.name] ?? [], component)),
  ].filter(({ host }, at, all) => all.findIndex((one) => one.host === host) === at);
  const annotations = passedOn(service.metadata.annotations ?? {});
  return {
    name: service.metadata.name ?? "",
    labels: entryLabels(service),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    className: settings.className,
    rules,
  };
}

const ruleTo = (host: string, target: EntryComponent): IngressRulePlan => ({
  host,
  service: target.address.name,
  port: portOf(target),
});

/** What is addressed to other controllers; what is for ours, for kubectl or for pods stays where it is. */
const notPassedOn =
  /^(?:ome\.io|trivium\.dev|kubectl\.kubernetes\.io|internal\.ome\.io|[a-z.]*autoscaling\.[a-z.]+|prometheus(?:\.ome)?\.io|rdma\.ome\.io|service\.(?:beta\.)?kubernetes\.io|[a-z]+\.grafana\.com)\//;

const passedOn = (annotations: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => key.includes("/") && !notPassedOn.test(key)));
