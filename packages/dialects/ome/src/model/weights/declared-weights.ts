import type { SizingFacts } from "@trivium/engines";
import type { BaseModel } from "../../kinds/base-model.ts";
import { parseModelSize } from "../../selection/model-size.ts";

export interface DeclaredWeights {
  readonly facts: Pick<SizingFacts, "weightBytes" | "parameters" | "precision">;
  /** What the size follows from, where no file says it. */
  readonly basis: string;
  readonly isLowerBound: boolean;
}

/** No quantization that engines serve is smaller. */
const smallest = "int4";
const precisions: Readonly<Record<string, string>> = { fp8: "fp8", fbgemm_fp8: "fp8", int8: "int8", int4: "int4" };

/** The size that files or a download report; before anything is downloaded the one that follows from what the model declares. */
export function lowerWeights(
  weightBytes: number | undefined,
  { modelParameterSize = "", quantization = "" }: Pick<BaseModel["spec"], "modelParameterSize" | "quantization">,
): DeclaredWeights {
  const parameters = parseModelSize(modelParameterSize);
  if (weightBytes !== undefined) return { facts: { weightBytes, parameters }, basis: "", isLowerBound: false };
  const precision = Object.hasOwn(precisions, quantization) ? precisions[quantization] : undefined;
  const basis = ` with ${modelParameterSize} parameters`;
  return precision === undefined
    ? { facts: { parameters, precision: smallest }, basis: `${basis}, even with 4 bits each,`, isLowerBound: true }
    : { facts: { parameters, precision }, basis: `${basis} (${quantization})`, isLowerBound: false };
}
