import type { Choice } from "@trivium/domain";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { ObservedClass } from "./candidate.ts";
import { type ClassRequest, selectClass } from "./select-class.ts";

export const classAnnotation = "ome.io/accelerator-class";

/** Components that run on accelerators. */
export type AcceleratedComponent = "engine" | "decoder";

/** The class of accelerators of a component. */
export interface ChosenClass {
  readonly name: string;
  readonly reason: string;
  /** Nothing for a class without an object: then only its name counts, for the overrides of the runtime. */
  readonly found?: ObservedClass | undefined;
  /** Only where a policy selected it. */
  readonly choice?: Choice | undefined;
}

export type ChosenClasses = Readonly<Partial<Record<AcceleratedComponent, ChosenClass>>>;

export type ClassOutcome =
  | { readonly is: "none" }
  | { readonly is: "chosen"; readonly chosen: ChosenClass }
  /** A policy that selects nothing, because the runtime lists no class. */
  | { readonly is: "ignored"; readonly message: string }
  | { readonly is: "failed"; readonly choice: Choice; readonly message: string };

export type ClassContext = Pick<ClassRequest, "runtime" | "classes" | "current">;

/** The class that a service names for a component, else the one that its policy selects. */
export function chooseClass(
  service: InferenceService,
  component: AcceleratedComponent,
  { runtime, classes, current }: ClassContext,
): ClassOutcome {
  const named = namedClass(service, component);
  if (named !== undefined) return { is: "chosen", chosen: describeNamed(named, classes) };
  const { acceleratorSelector: selector, [component]: part } = service.spec;
  const override = part?.acceleratorOverride;
  const policy = override?.policy ?? selector?.policy;
  if (policy === undefined) return { is: "none" };
  const place = override?.policy === undefined ? "spec.acceleratorSelector" : `spec.${component}.acceleratorOverride`;
  if ((runtime.spec.acceleratorRequirements?.acceleratorClasses ?? []).length === 0) {
    const why = `runtime ${runtime.name} lists no accelerator classes`;
    const remedy =
      "add classes to spec.acceleratorRequirements.acceleratorClasses of the runtime, or remove the policy";
    return { is: "ignored", message: `${place}.policy has no effect: ${why}; ${remedy}` };
  }
  const constraints = override?.constraints ?? selector?.constraints ?? {};
  const selection = selectClass({ policy, place, constraints, runtime, classes, current });
  if (selection.is === "failed") return selection;
  const { found, choice, message } = selection;
  return { is: "chosen", chosen: { name: found.name, reason: message, found, choice } };
}

/** Whether a decision about the service needs AcceleratorClasses. */
export const usesClasses = (service: InferenceService): boolean =>
  (["engine", "decoder"] as const).some(
    (component) =>
      namedClass(service, component) !== undefined ||
      (service.spec[component]?.acceleratorOverride?.policy ?? service.spec.acceleratorSelector?.policy) !== undefined,
  );

interface NamedClass {
  readonly name: string;
  readonly place: string;
}

/** A component's own, then the service's, then the annotation's. */
function namedClass({ metadata, spec }: InferenceService, component: AcceleratedComponent): NamedClass | undefined {
  const own = spec[component]?.acceleratorOverride?.acceleratorClass;
  if (own) return { name: own, place: `spec.${component}.acceleratorOverride` };
  const selected = spec.acceleratorSelector?.acceleratorClass;
  if (selected) return { name: selected, place: "spec.acceleratorSelector" };
  const annotated = metadata.annotations?.[classAnnotation];
  return annotated ? { name: annotated, place: `the annotation ${classAnnotation}` } : undefined;
}

function describeNamed({ name, place }: NamedClass, classes: readonly ObservedClass[]): ChosenClass {
  const found = classes.find((one) => one.name === name);
  if (found !== undefined) return { name, reason: `Set in ${place}`, found };
  const missing = `AcceleratorClass ${name} not found, so only the overrides of the runtime apply`;
  const reason = `Set in ${place}; ${missing}; create it to place pods and to request its resources`;
  return { name, reason };
}
