import type {
  api,
  DeviceClass,
  Lease,
  PriorityClass,
  ResourceClaim,
  ResourceClaimTemplate,
  RuntimeClass,
} from "@trivium/kube";
import { traits } from "../traits.ts";

export const lease = traits<Lease>({
  allowsCreateOnUpdate: true,
  cells: { Holder: ({ spec }) => spec?.holderIdentity ?? "" },
});

export const priorityClass = traits<PriorityClass>({
  hasGeneration: true,
  defaults: (object) => {
    object.preemptionPolicy ??= "PreemptLowerPriority";
  },
  cells: {
    Value: ({ value }) => value ?? 0,
    "Global-Default": ({ globalDefault }) => globalDefault ?? false,
    PreemptionPolicy: ({ preemptionPolicy }) => preemptionPolicy ?? "",
  },
});

export const runtimeClass = traits<RuntimeClass>({ cells: { Handler: ({ handler }) => handler } });

export const deviceClass = traits<DeviceClass>({ hasGeneration: true });

export const resourceClaim = traits<ResourceClaim>({
  defaults: ({ spec }) => defaultDevices(spec.devices),
  cells: { State: stateText },
});

export const resourceClaimTemplate = traits<ResourceClaimTemplate>({
  defaults: ({ spec }) => defaultDevices(spec.spec.devices),
});

function defaultDevices(claim: api.DeviceClaim | undefined): void {
  for (const request of claim?.requests ?? []) {
    for (const asked of [request.exactly, ...(request.firstAvailable ?? [])]) {
      if (asked === undefined) continue;
      asked.allocationMode ||= "ExactCount";
      if (asked.allocationMode === "ExactCount") asked.count ||= 1;
      for (const toleration of asked.tolerations ?? []) toleration.operator ||= "Equal";
    }
  }
}

function stateText({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  if (status?.allocation === undefined) return isDeleted ? "deleted" : "pending";
  const states = ["allocated", ...((status.reservedFor?.length ?? 0) > 0 ? ["reserved"] : [])];
  return [...(isDeleted ? ["deleted"] : []), ...states].join(",");
}
