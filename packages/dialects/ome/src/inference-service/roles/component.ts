import type { InferenceService } from "../../kinds/inference-service.ts";

/** The parts of a service, in the order in which they are made. */
export const componentNames = ["engine", "decoder", "router"] as const;
export type ComponentName = (typeof componentNames)[number];

/** A component as runtime and service describe it together: a pod, and how many of it there are. */
export type ComponentSpec = NonNullable<InferenceService["spec"]["engine"]> & {
  readonly config?: Readonly<Record<string, string>> | undefined;
};

export type ComponentSpecs = Partial<Readonly<Record<ComponentName, ComponentSpec>>>;
