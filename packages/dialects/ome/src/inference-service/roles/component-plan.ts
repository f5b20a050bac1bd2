import type { ComponentInput } from "./component-parts.ts";
import { type GroupComponent, planGroup } from "./group-component.ts";
import { planRaw, type RawComponent } from "./raw-component.ts";
import { planServerless, type ServerlessComponent } from "./serverless-component.ts";

/** All objects of one component, whatever it runs as. */
export type ComponentPlan = RawComponent | GroupComponent | ServerlessComponent;

export type PlannedComponent =
  | { readonly is: "planned"; readonly plan: ComponentPlan }
  | { readonly is: "faulty"; readonly why: string };

export function planComponent(input: ComponentInput): PlannedComponent {
  switch (input.mode) {
    case "RawDeployment":
      return planRaw(input);
    case "MultiNode":
    case "MultiNodeRayVLLM":
      return planGroup(input);
    case "Serverless":
      return planServerless(input);
  }
}
