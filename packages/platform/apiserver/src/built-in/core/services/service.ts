import type { api, Service } from "@trivium/kube";
import { faultsOfDnsLabel } from "@trivium/std";
import { balancerAddresses, formatLabels } from "../../table/text.ts";
import { traits } from "../../traits.ts";
import { allocate } from "./allocate-service.ts";
import { settleChange } from "./change-service.ts";
import { checkService, checkServiceStatus } from "./check-service.ts";
import { defaultService } from "./default-service.ts";

export const service = traits<Service>({
  allowsCreateOnUpdate: true,
  defaults: defaultService,
  prepareForCreate: (object, context) => {
    object.status = { loadBalancer: {} };
    allocate(object, undefined, context);
  },
  prepareForUpdate: (object, old, context) => {
    settleChange(object, old);
    allocate(object, old, context);
  },
  validateName: faultsOfDnsLabel,
  validate: checkService,
  validateStatus: checkServiceStatus,
  warnings: ({ spec }) =>
    (spec.externalIPs ?? []).length > 0
      ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
      : [],
  selectableFields: ["spec.clusterIP", "spec.type"],
  cells: {
    Type: ({ spec }) => spec.type ?? "",
    "Cluster-IP": ({ spec }) => spec.clusterIPs?.[0] ?? "<none>",
    "External-IP": externalAddress,
    "Port(s)": ({ spec }) => (spec.ports ?? []).map(portText).join(",") || "<none>",
    Selector: ({ spec }) => formatLabels(spec.selector),
  },
});

function portText({ port, nodePort, protocol }: api.ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}

function externalAddress({ spec, status }: Service): string {
  if (spec.type === "ExternalName") return spec.externalName ?? "";
  const given = spec.externalIPs ?? [];
  if (spec.type !== "LoadBalancer") return given.join(",") || "<none>";
  const balancer = balancerAddresses(status?.loadBalancer?.ingress);
  return [...(balancer === "" ? [] : [balancer]), ...given].join(",") || "<pending>";
}
