import type { ServicePlan } from "@trivium/domain";
import { startCommand } from "@trivium/engines";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { labelsOf, selectorOf, serviceNameOf } from "../names/service-names.ts";

/** The Service in front of the pods; `adapters` is how requests name adapters. Where it is closed, the gateway starts nothing and gives callers the cause instead. */
export function addressOf(
  service: InferenceService,
  closed: string | undefined,
  adapters: Record<string, string> = {},
): ServicePlan {
  const { spec } = service;
  const { port = 8080, type = "ClusterIP", nodePort, gateway } = spec.endpoint ?? {};
  const names = new Set(
    [gateway?.modelName, service.metadata.name, spec.modelRef].filter((name) => name !== undefined && name !== ""),
  );
  return {
    name: serviceNameOf(service),
    labels: labelsOf(service),
    annotations: {
      "trivium.dev/models": [...names].join(","),
      ...adapters,
      ...(closed === undefined ? {} : { "trivium.dev/closed": closed }),
    },
    selector: selectorOf(service),
    type,
    ports: [{ name: "http", port, target: "http", nodePort: type === "ClusterIP" ? undefined : nodePort }],
  };
}

/** Who suspends a service wants it off, also when somebody asks for it. */
export const closureOf = ({ metadata, spec }: InferenceService): string | undefined =>
  spec.suspend === true ? `it is stopped; start it with ${startCommand(metadata)}, or ${resume}` : undefined;

/** What starts a stopped service without our program. */
export const resume = "set spec.suspend to false";
