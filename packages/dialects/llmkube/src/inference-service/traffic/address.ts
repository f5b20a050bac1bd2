import type { ServicePlan } from "@trivium/domain";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { labelsOf, selectorOf, serviceNameOf } from "../names/service-names.ts";

/** The Service in front of the pods; `adapters` are requested by their names too. Where it is closed, the gateway wakes nobody and gives callers the words instead. */
export function addressOf(
  service: InferenceService,
  closed: string | undefined,
  adapters: readonly string[] = [],
): ServicePlan {
  const { spec } = service;
  const { port = 8080, type = "ClusterIP", nodePort, gateway } = spec.endpoint ?? {};
  const names = new Set(
    [gateway?.modelName, service.metadata.name, spec.modelRef, ...adapters].filter(
      (name) => name !== undefined && name !== "",
    ),
  );
  return {
    name: serviceNameOf(service),
    labels: labelsOf(service),
    annotations: {
      "trivium.dev/models": [...names].join(","),
      ...(closed === undefined ? {} : { "trivium.dev/closed": closed }),
    },
    selector: selectorOf(service),
    type,
    ports: [{ name: "http", port, target: "http", nodePort: type === "ClusterIP" ? undefined : nodePort }],
  };
}

/** Who suspends a service wants it off, also when somebody asks for it. */
export const closureOf = ({ spec }: InferenceService): string | undefined =>
  spec.suspend === true ? "it is suspended; set spec.suspend to false to resume" : undefined;
