import type { VirtualServicePlan } from "@trivium/domain";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { serviceNameOf } from "../../names.ts";
import type { EntryComponents } from "./component.ts";
import { entryLabels } from "./entry-labels.ts";
import type { OpenEntry } from "./entry-plan.ts";

/**
 * Knative Services are reached through Istio: whatever name a request came by, it goes on to Knative's own gateway under the name that Knative
 * knows the component by.
 */
export function planVirtualService(
  service: InferenceService,
  { entry }: EntryComponents,
  { hosts, settings, reach }: OpenEntry,
): VirtualServicePlan {
  const { name = "", namespace = "" } = service.metadata;
  const { istioGateway, localGateway, localGatewayService } = settings;
  const local = `${serviceNameOf(name)}.${namespace}.svc.cluster.local`;
  const outside = reach === "cluster" ? [] : hosts.top.filter((host) => host !== local);
  const uri = hosts.path === undefined ? [{}] : [{ uri: { prefix: `${hosts.path}/` } }, { uri: { exact: hosts.path } }];
  const inside = { authority: { regex: hostPattern(local) }, gateways: [localGateway, "mesh"] };
  const fromOutside = outside.flatMap((host) =>
    uri.map((part) => ({ ...part, authority: { regex: hostPattern(host) }, gateways: [istioGateway] })),
  );
  const to = {
    route: [{ destination: { host: localGatewayService, port: { number: 80 } }, weight: 100 }],
    headers: { request: { set: { "OME-Isvc-Name": name, "OME-Isvc-Namespace": namespace } } },
  };
  const authority = `${entry.address.name}.${namespace}.svc.cluster.local`;
  const isPathed = hosts.path !== undefined && fromOutside.length > 0;
  const rules = isPathed
    ? [
        { match: fromOutside, rewrite: { authority, uri: "/" }, ...to },
        { match: [inside], rewrite: { authority }, ...to },
      ]
    : [{ match: [inside, ...fromOutside], rewrite: { authority }, ...to }];
  return {
    name,
    labels: entryLabels(service),
    spec: {
      hosts: [...new Set([...outside, local])],
      gateways: [...(outside.length === 0 ? [] : [istioGateway]), localGateway, "mesh"],
      http: rules,
    },
  };
}

/** A host, with or without a port. */
const hostPattern = (host: string): string => `^${host.replaceAll(".", "\\.")}(?::\\d{1,5})?$`;
