import type { CanaryNames } from "@trivium/engines";
import type { ObjectOf } from "@trivium/kube";
import { once, sha256Hex } from "@trivium/std";
import type { AIMService } from "../../kinds/service.ts";
import { labels } from "../../labels.ts";
import { derivedName, labelValueOf, nameBefore } from "../../names.ts";

/** Names of objects that another operator has created for a service, under which they stay. */
export interface KeptNames {
  readonly workload?: string;
  readonly route?: string;
}

export type Service = ObjectOf<typeof AIMService> & { readonly kept?: KeptNames };
export type ServiceStatus = NonNullable<Service["status"]>;

/** The container that serves the model, as KServe names it. */
export const containerName = "kserve-container";

const most = 63;
/** What KServe puts behind the name, for the workload and for its address. */
const suffix = "-predictor";

/** The name of what serves: short enough for host names that KServe makes of it and the namespace. */
export function workloadNameOf({ kept, metadata }: Service): string {
  const { name = "", namespace = "" } = metadata;
  if (kept?.workload !== undefined) return kept.workload;
  const limit = most - suffix.length - namespace.length - 1;
  if (name.length <= limit) return name;
  return `${name.slice(0, Math.max(1, limit - 9)).replace(/-+$/, "")}-${sha256Hex(name).slice(0, 8)}`;
}

export const addressNameOf = (service: Service): string => `${workloadNameOf(service)}${suffix}`;
/** What KEDA puts before the name of an object for that of the autoscaler that it makes, which must stay a label. */
const kedaPrefix = "keda-hpa-";
export const kedaAutoscalerOf = (scaled: string): string => `${kedaPrefix}${scaled}`;

/** What scales has the name of what it scales, as with KServe, unless that is too long for KEDA. */
export function scaledNameOf(service: Service): string {
  const name = addressNameOf(service);
  const limit = most - kedaPrefix.length;
  return name.length <= limit ? name : `${name.slice(0, limit - 9).replace(/-+$/, "")}-${sha256Hex(name).slice(0, 8)}`;
}

/** What tries out a new template has names and labels of its own. An underscore is in no name of a service. */
export function canaryNamesOf(service: Service): CanaryNames {
  const name = nameBefore(addressNameOf(service), "-canary");
  const label = `${labelValueOf(service.metadata.name ?? "").slice(0, most - 7)}_canary`;
  return { workload: name, address: name, selector: { [labels.serviceName]: label } };
}

export const temporaryClaimOf = (service: Service): string => nameBefore(workloadNameOf(service), "-temp-cache");
export const routeNameOf = ({ kept, metadata }: Service): string => kept?.route ?? metadata.name ?? "";

/** AIM Engine puts a hash of the namespace behind names since release 0.2, and leaves room for what KServe adds to them. */
export const engineNamesOf = ({ metadata }: Service): Required<KeptNames> => engineNames(metadata);

const engineNames = once(({ name = "", namespace = "" }: Service["metadata"]): Required<KeptNames> => {
  const limit = most - suffix.length - namespace.length - 1;
  return {
    workload: derivedName([name], [namespace], { most: limit }),
    route: derivedName([name], [namespace]),
  };
});

export const lmCacheConfigOf = ({ metadata: { name = "", namespace = "" } }: Service): string =>
  derivedName(["lmcache", name], [namespace, name]);

/** A cache of this service alone. */
export const dedicatedCacheOf = ({ metadata: { name = "", uid = "" } }: Service, template: string): string =>
  derivedName([template, name], [uid]);
