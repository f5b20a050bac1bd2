import type { DecidedCondition } from "@trivium/kube";
import type { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import { type FileStatus, type FilesReported, fileStatus } from "../model/status/file-status.ts";
import type { ObservedWeight } from "./observe.ts";

/** Weights are held as models are; besides, the status reports whether the model exists that they belong to. */
export const raiseWeight = (weight: FineTunedWeight, reported: FilesReported, observed: ObservedWeight): FileStatus =>
  fileStatus(weight, reported, [baseCondition(weight, observed)]);

function baseCondition({ spec }: FineTunedWeight, { base }: ObservedWeight): DecidedCondition {
  const { name, namespace } = spec.baseModelRef;
  const model = namespace ? `BaseModel ${namespace}/${name}` : `ClusterBaseModel ${name}`;
  if (base.is === "known")
    return { type: "BaseModelFound", status: "True", reason: "BaseModelFound", message: `${model} exists` };
  const message = `${model} not found; create it, or change spec.baseModelRef`;
  return { type: "BaseModelFound", status: "False", reason: "BaseModelNotFound", message };
}
