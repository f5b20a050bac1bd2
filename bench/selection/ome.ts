import { selectRuntime } from "@trivium/ome";
import { modelOf, runtimeOf } from "../ome/fleet.ts";
import type { SelectionCase } from "./measure.ts";

/** One service among so many runtimes of three formats each: a model that some support, and one that none supports. */
export function omeCases(count: number): SelectionCase[] {
  const candidates = Array.from({ length: count }, (_, at) => ({
    name: `runtime-${at}`,
    scope: at % 10 === 0 ? ("namespace" as const) : ("cluster" as const),
    spec: runtimeOf(at).spec,
  }));
  const traits = modelOf(3).spec;
  const choose = (modelArchitecture: string) => () =>
    selectRuntime({
      model: { name: "model-3", traits: { ...traits, modelArchitecture } },
      namespace: "bench",
      candidates,
      acceleratorClasses: [],
    });
  return [
    { dialect: "OME", what: "runtimes, some support the model", run: choose("Arch3ForCausalLM") },
    { dialect: "OME", what: "runtimes, none supports the model", run: choose("OtherForCausalLM") },
  ];
}
