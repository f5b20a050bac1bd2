import type { Choice } from "@trivium/domain";
import {
  type AcceleratedComponent,
  type ChosenClass,
  type ChosenClasses,
  chooseClass,
} from "../../accelerators/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Candidate } from "../../selection/index.ts";
import { type ObservedService, selectedClassOf } from "../observed/service.ts";
import type { ComponentSpecs } from "../roles/component.ts";

export type ChosenAccelerators =
  | { readonly is: "chosen"; readonly accelerators: ChosenClasses; readonly ignored: readonly string[] }
  | { readonly is: "failed"; readonly message: string; readonly choice: Choice };

const accelerated: readonly AcceleratedComponent[] = ["engine", "decoder"];

interface ServingContext {
  readonly specs: ComponentSpecs;
  readonly runtime: Candidate;
  readonly observed: ObservedService;
}

/** The accelerator class of each component that the service has. */
export function chooseClasses(
  service: InferenceService,
  { specs, runtime, observed }: ServingContext,
): ChosenAccelerators {
  const accelerators: Partial<Record<AcceleratedComponent, ChosenClass>> = {};
  const ignored = new Set<string>();
  for (const component of accelerated.filter((name) => specs[name] !== undefined)) {
    const current = selectedClassOf(observed, component);
    const outcome = chooseClass(service, component, { runtime, classes: observed.classes ?? [], current });
    if (outcome.is === "failed") return outcome;
    if (outcome.is === "ignored") ignored.add(outcome.message);
    if (outcome.is === "chosen") accelerators[component] = outcome.chosen;
  }
  return { is: "chosen", accelerators, ignored: [...ignored] };
}
