import type { DecidedCondition } from "@trivium/kube";
import type { Fact } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { serviceNameOf } from "../names/service-names.ts";

/** What Envoy AI Gateway calls the route of a model. */
export const gatewayKind = { group: "aigateway.envoyproxy.io", kind: "AIGatewayRoute" } as const;

/** What is said of wishes that other programs in the cluster would have to carry out. */
export function describeInstalledApis(
  service: InferenceService,
  gateway: Fact<boolean> | undefined,
): DecidedCondition[] {
  return [...gatewayCondition(service, gateway), ...sloCondition(service)];
}

function gatewayCondition(service: InferenceService, served: Fact<boolean> | undefined): DecidedCondition[] {
  const request = service.spec.endpoint?.gateway;
  if (request?.enabled !== true || served === undefined) return [];
  const type = "GatewayReady";
  const before = service.status?.conditions?.find((one) => one.type === type);
  if (served.is === "pending" || served.is === "unreachable") {
    if (before === undefined) return [];
    const { status, reason, message } = before;
    return [{ type, status, reason, message }];
  }
  const name = serviceNameOf(service);
  const isThere = served.is === "known" && served.value;
  return [
    isThere
      ? {
          type,
          status: "False",
          reason: "ReconcileFailed",
          message: `This operator does not create routes of Envoy AI Gateway; create an AIGatewayRoute to Service ${name}`,
        }
      : {
          type,
          status: "False",
          reason: "GatewayCRDsNotInstalled",
          message: `Envoy AI Gateway is not installed (no kind ${gatewayKind.kind}); Service ${name} is reachable without it`,
        },
  ];
}

function sloCondition({ spec }: InferenceService): DecidedCondition[] {
  if (spec.slo === undefined) return [];
  const message = "This operator does not create objects for Pyrra; create a ServiceLevelObjective";
  return [{ type: "SLOReady", status: "False", reason: "IntegrationDisabled", message }];
}
