import type { Namespace, ResourceQuota } from "@trivium/kube";
import { type FieldError, invalid } from "@trivium/schema";
import { append } from "@trivium/std";
import { invalidFor, qualifiedName } from "../checks/values.ts";

export function checkNamespace({ spec }: Namespace): FieldError[] {
  return (spec?.finalizers ?? []).flatMap((name) => qualifiedName("spec.finalizers", name));
}

const quotaNames = new Set([
  ...["cpu", "memory", "ephemeral-storage", "storage", "pods", "services", "secrets", "configmaps"],
  ...["persistentvolumeclaims", "resourcequotas", "replicationcontrollers"],
  ...["requests.cpu", "requests.memory", "requests.storage", "requests.ephemeral-storage"],
  ...["limits.cpu", "limits.memory", "limits.ephemeral-storage"],
  ...["services.nodeports", "services.loadbalancers"],
]);

export function checkResourceQuota({ spec }: ResourceQuota): FieldError[] {
  return Object.entries(spec.hard ?? {}).flatMap(([name, amount]) => {
    const at = `spec.hard[${name}]`;
    const isKnown = name.includes("/") || quotaNames.has(name);
    const isCount = !name.includes("/") && !/(^|\.)(cpu|memory|storage|ephemeral-storage)$/.test(name);
    const faults = qualifiedName(at, name);
    if (!isKnown && faults.length === 0)
      append(faults, invalidFor(at, name, ["must be a standard resource type or fully qualified"]));
    if (!isKnown) append(faults, invalidFor(at, name, ["must be a standard resource for quota"]));
    if (String(amount).startsWith("-")) faults.push(invalid(at, String(amount), "must be greater than or equal to 0"));
    if (isKnown && isCount && String(amount).endsWith("m"))
      faults.push(invalid(at, String(amount), "must be an integer"));
    return faults;
  });
}
