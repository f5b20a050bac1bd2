import { observePod, servingAnnotations } from "@trivium/engines";
import { Deployment, findCondition, Pod } from "@trivium/kube";
import { templateAnnotation } from "../names/labels.ts";
import { canaryNameOf, canarySelectorOf, type Service } from "../names/names.ts";
import { mapFact } from "./observe-workload.ts";
import type { ObservedService } from "./observed-service.ts";
import type { ServiceReader } from "./reads.ts";

/** What runs beside the server while a canary is asked for. */
export function observeCanary(service: Service, reader: ServiceReader): Pick<ObservedService, "canary"> {
  const { namespace, annotations = {} } = service.metadata;
  if (annotations[servingAnnotations.canaryPercent] === undefined) return {};
  const workload = reader.get(Deployment, { namespace, name: canaryNameOf(service) });
  const pods = reader.list(Pod, { namespace, labels: canarySelectorOf(service) });
  return {
    canary: {
      workload: mapFact(workload, observedCanary),
      pods: pods.map((pod) => observePod(pod, templateAnnotation, reader)),
    },
  };
}

function observedCanary({ metadata, spec, status }: Deployment) {
  const template = spec?.template.metadata?.annotations?.[templateAnnotation];
  const isCurrent = status?.observedGeneration === metadata.generation;
  const isAvailable = isCurrent && findCondition(status?.conditions, "Available")?.status === "True";
  return { isAvailable, ...(template === undefined ? {} : { template }) };
}
