import type { DefinedKind } from "@trivium/kube";
import { type Admission, type AnyAdmission, newFaults, type Reader } from "@trivium/reconcile";
import { AcceleratorClass } from "../kinds/accelerator-class.ts";
import { InferenceService } from "../kinds/inference-service.ts";
import { ClusterServingRuntime, ServingRuntime } from "../kinds/serving-runtime.ts";
import { parseModelSize } from "../selection/model-size.ts";
import { faultsOfRuntime } from "./runtime-faults.ts";
import { warningsOfOverlaps } from "./runtime-overlaps.ts";

interface Context {
  readonly others: readonly ServingRuntime[];
  /** Services that name it. */
  readonly users: readonly string[];
  /** Accelerator classes that it lists and that do not exist. */
  readonly missing: readonly string[];
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
    reads: [kind, InferenceService, AcceleratorClass],
    observe({ verb, object }, reader) {
      const { namespace, name = "" } = object.metadata;
      if (verb !== "delete") {
        const others = reader.list(kind, { namespace }) as readonly ServingRuntime[];
        return { others, users: [], missing: missingClasses(object, reader) };
      }
      const services = reader.list(InferenceService, { namespace }) as readonly InferenceService[];
      const users = services.filter(({ spec }) => spec.runtime?.name === name);
      return { others: [], missing: [], users: users.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`) };
    },
    judge(request, { others, users, missing }) {
      if (request.verb === "delete") return { faults: [], warnings: users.length === 0 ? [] : [inUse(users)] };
      const faults = newFaults(request, faultsOfRuntime);
      const warnings = [...warningsOfOverlaps(request.object, others), ...warningsOfSpec(request.object, missing)];
      return { faults, warnings: faults.length > 0 ? [] : warnings };
    },
  };
}

const missingClasses = ({ spec }: ServingRuntime, reader: Pick<Reader<typeof AcceleratorClass>, "get">): string[] =>
  (spec.acceleratorRequirements?.acceleratorClasses ?? []).filter(
    (name) => reader.get(AcceleratorClass, { name }).is === "absent",
  );

const inUse = (users: readonly string[]): string =>
  `still used by InferenceService ${users.slice(0, 5).join(", ")}; the pods keep running, but the service cannot be updated without the runtime`;

function warningsOfSpec({ spec }: ServingRuntime, missing: readonly string[]): string[] {
  const { min, max } = spec.modelSizeRange ?? {};
  const wrong = [min, max].filter((text) => text && parseModelSize(text) === undefined);
  return [
    ...wrong.map(
      (text) =>
        `spec.modelSizeRange: ${text} is not a valid number of parameters (expected e.g. 7B); no model matches it`,
    ),
    ...missing.map((name) => `AcceleratorClass ${name} not found; no policy can select it until it is created`),
  ];
}
