import type { DefinedKind } from "@trivium/kube";
import type { Admission, AnyAdmission } from "@trivium/reconcile";
import { InferenceService } from "../kinds/inference-service.ts";
import { ClusterServingRuntime, ServingRuntime } from "../kinds/serving-runtime.ts";
import { parseModelSize } from "../selection/model-size.ts";
import { newFaults } from "./ratchet.ts";
import { faultsOfRuntime } from "./runtime-faults.ts";
import { warningsOfOverlaps } from "./runtime-overlaps.ts";

interface Context {
  readonly others: readonly ServingRuntime[];
  /** Services that name it. */
  readonly users: readonly string[];
}

/** One for runtimes of a namespace, one for those of the cluster. */
export const runtimeAdmissions = (): AnyAdmission[] => [
  admissionOf(ServingRuntime),
  admissionOf(ClusterServingRuntime as never),
];

function admissionOf(kind: DefinedKind<ServingRuntime>): Admission<ServingRuntime, Context> {
  return {
    kind,
    verbs: ["create", "update", "delete"],
    reads: [kind, InferenceService],
    observe({ verb, object }, reader) {
      const { namespace, name = "" } = object.metadata;
      if (verb !== "delete")
        return { others: reader.list(kind, { namespace }) as readonly ServingRuntime[], users: [] };
      const services = reader.list(InferenceService, { namespace }) as readonly InferenceService[];
      const users = services.filter(({ spec }) => spec.runtime?.name === name);
      return { others: [], users: users.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`) };
    },
    judge(request, { others, users }) {
      if (request.verb === "delete") return { faults: [], warnings: users.length === 0 ? [] : [inUse(users)] };
      const faults = newFaults(request, faultsOfRuntime);
      const warnings = [...warningsOfOverlaps(request.object, others), ...warningsOfSpec(request.object)];
      return { faults, warnings: faults.length > 0 ? [] : warnings };
    },
  };
}

const inUse = (users: readonly string[]): string =>
  `still used by InferenceService ${users.slice(0, 5).join(", ")}; the pods keep running, but the service cannot be updated without the runtime`;

function warningsOfSpec({ spec }: ServingRuntime): string[] {
  const { min, max } = spec.modelSizeRange ?? {};
  const wrong = [min, max].filter((text) => text && parseModelSize(text) === undefined);
  const classes = spec.acceleratorRequirements?.acceleratorClasses ?? [];
  return [
    ...wrong.map(
      (text) =>
        `spec.modelSizeRange: ${text} is not a valid number of parameters (expected e.g. 7B); no model matches it`,
    ),
    ...(classes.length === 0
      ? []
      : [
          `AcceleratorClass is not supported as an object (${classes.join(", ")}); services must name a class in acceleratorClass`,
        ]),
  ];
}
