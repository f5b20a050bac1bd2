import type { ComponentInput, Planned } from "./component-parts.ts";
import { type GroupComponent, planGroup } from "./group-component.ts";
import { planRaw, type RawComponent } from "./raw-component.ts";
import { planServerless, type ServerlessComponent } from "./serverless-component.ts";

/** All objects of one component, whatever it runs as. */
export type ComponentPlan = RawComponent | GroupComponent | ServerlessComponent;

export function planComponent(input: ComponentInput): Planned<ComponentPlan> {
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
