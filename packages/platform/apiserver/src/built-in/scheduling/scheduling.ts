import type {
  api,
  DeviceClass,
  Lease,
  PriorityClass,
  ResourceClaim,
  ResourceClaimTemplate,
  RuntimeClass,
} from "@trivium/kube";
import { type FieldError, forbidden } from "@trivium/schema";
import { checkLabels } from "../checks/labels.ts";
import { immutable, nonNegative, oneOf, positive, requiredLabel } from "../checks/values.ts";
import { traits } from "../traits.ts";
import { checkDeviceClaim, checkDeviceClass } from "./check-devices.ts";

export const lease = traits<Lease>({
  validate: ({ spec }) => [
    ...positive("spec.leaseDurationSeconds", spec?.leaseDurationSeconds),
    ...nonNegative("spec.leaseTransitions", spec?.leaseTransitions),
  ],
  allowsCreateOnUpdate: true,
  cells: { Holder: ({ spec }) => spec?.holderIdentity ?? "" },
});

export const priorityClass = traits<PriorityClass>({
  validate: checkPriorityClass,
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

export const runtimeClass = traits<RuntimeClass>({
  allowsCreateOnUpdate: true,
  validate: ({ handler, scheduling }, old) => [
    ...requiredLabel("handler", handler),
    ...checkLabels("scheduling.nodeSelector", scheduling?.nodeSelector),
    ...(old === undefined ? [] : immutable("handler", handler, old.handler)),
  ],
  cells: { Handler: ({ handler }) => handler },
});

export const deviceClass = traits<DeviceClass>({
  validate: checkDeviceClass,
  hasGeneration: true,
});

export const resourceClaim = traits<ResourceClaim>({
  validate: ({ spec }, old) =>
    old === undefined ? checkDeviceClaim("spec.devices", spec.devices) : immutable("spec", spec, old.spec),
  defaults: ({ spec }) => defaultDevices(spec.devices),
  cells: { State: stateText },
});

export const resourceClaimTemplate = traits<ResourceClaimTemplate>({
  validate: ({ spec }, old) => [
    ...checkDeviceClaim("spec.spec.devices", spec.spec.devices),
    ...(old === undefined ? [] : immutable("spec", spec, old.spec)),
  ],
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

/** Above this the server's own parts live. */
const highestPriority = 1000000000;

function checkPriorityClass(
  { metadata, value = 0, preemptionPolicy }: PriorityClass,
  old?: PriorityClass,
): FieldError[] {
  if (old !== undefined) {
    return [
      ...(value === (old.value ?? 0) ? [] : [forbidden("value", "may not be changed in an update.")]),
      ...immutable("preemptionPolicy", preemptionPolicy, old.preemptionPolicy),
    ];
  }
  const isTooHigh = !metadata.name?.startsWith("system-") && value > highestPriority;
  return [
    ...(isTooHigh
      ? [forbidden("value", `maximum allowed value of a user defined priority is ${highestPriority}`)]
      : []),
    ...oneOf("preemptionPolicy", preemptionPolicy, ["PreemptLowerPriority", "Never"]),
  ];
}
