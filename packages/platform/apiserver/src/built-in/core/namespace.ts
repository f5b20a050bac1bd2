import type { api, LimitRange, Namespace, ResourceQuota } from "@trivium/kube";
import { faultsOfDnsLabel, getOwn } from "@trivium/std";
import { traits } from "../traits.ts";
import { checkLimitRange } from "./check-limit-range.ts";
import { checkNamespace, checkResourceQuota } from "./check-namespace.ts";
import { defaultLimitRange, defaultNamespace } from "./defaults.ts";

export const namespace = traits<Namespace>({
  validateName: faultsOfDnsLabel,
  validate: checkNamespace,
  defaults: defaultNamespace,
  prepareForCreate: (object) => {
    object.spec = { finalizers: [...new Set([...(object.spec?.finalizers ?? []), "kubernetes"])] };
    object.status = { phase: "Active" };
  },
  prepareForUpdate: (object, old) => {
    object.spec = { ...object.spec, finalizers: old.spec?.finalizers };
  },
  selectableFields: ["status.phase"],
  cells: { Status: ({ status }) => status?.phase ?? "" },
});

export const limitRange = traits<LimitRange>({
  allowsCreateOnUpdate: true,
  validate: checkLimitRange,
  defaults: defaultLimitRange,
});

export const resourceQuota = traits<ResourceQuota>({
  validate: checkResourceQuota,
  cells: {
    Request: ({ status }) => quotaText(status, (name) => !name.startsWith("limits.")),
    Limit: ({ status }) => quotaText(status, (name) => name.startsWith("limits.")),
  },
});

function quotaText(status: api.ResourceQuotaStatus | undefined, isWanted: (name: string) => boolean): string {
  const names = Object.keys(status?.hard ?? {})
    .filter(isWanted)
    .sort();
  return names
    .map((name) => `${name}: ${getOwn(status?.used, name) ?? 0}/${getOwn(status?.hard, name) ?? 0}`)
    .join(", ");
}
