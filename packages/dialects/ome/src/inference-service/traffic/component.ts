import type { ServicePlan } from "@trivium/domain";
import type { ComponentName } from "../roles/component.ts";

/** What the entry needs to know of a component. */
export interface EntryComponent {
  readonly name: ComponentName;
  readonly address: ServicePlan;
  readonly mode?: "RawDeployment" | "MultiNode" | "Serverless" | undefined;
  /** Several Services that share the requests by weight; all go to `address` when left out. */
  readonly backends?: readonly Backend[] | undefined;
  /** Longest time that a request to it can take. */
  readonly timeoutSeconds?: number | undefined;
  /** Where Knative says that the component is. */
  readonly url?: string | undefined;
}

export interface Backend {
  readonly name: string;
  readonly port: number;
  readonly weight: number;
}

export interface EntryComponents {
  readonly components: readonly EntryComponent[];
  /** Where requests come in. */
  readonly entry: EntryComponent;
}

export const portOf = ({ address }: EntryComponent): number => address.ports[0]?.port ?? 8080;

export const backendsOf = (component: EntryComponent): readonly Backend[] =>
  component.backends ?? [{ name: component.address.name, port: portOf(component), weight: 1 }];

export const isServerless = ({ mode }: EntryComponent): boolean => mode === "Serverless";
