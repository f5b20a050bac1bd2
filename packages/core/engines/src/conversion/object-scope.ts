import type { ServingDialect } from "@trivium/domain";
import { type AnyObject, apiVersionOf } from "@trivium/kube";

/** Where Kubernetes creates an object that states no namespace. */
const namespaceOf = ({ metadata }: AnyObject): string => metadata.namespace ?? "default";

/** The objects of an API that a service can refer to: those of its namespace and those of the cluster. */
export function objectsInReach(service: AnyObject, objects: readonly AnyObject[], of: ServingDialect): AnyObject[] {
  return objects.filter((object) => {
    const kind = of.kinds.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
    return kind !== undefined && (!kind.namespaced || namespaceOf(object) === namespaceOf(service));
  });
}

/** Whether the API server takes two objects of namespaced kinds for one. */
export const isSameObject = (one: AnyObject, other: AnyObject): boolean =>
  one.apiVersion === other.apiVersion &&
  one.kind === other.kind &&
  one.metadata.name === other.metadata.name &&
  namespaceOf(one) === namespaceOf(other);
