import type { InferenceService } from "../../kinds/inference-service.ts";

/** A word in a reference that names nothing that can be referred to. */
export interface ReferenceFault {
  readonly field: string;
  readonly value: string;
  readonly allowed: readonly string[];
}

const groups = ["ome.io"];
const modelKinds = ["BaseModel", "ClusterBaseModel"];
const runtimeKinds = ["ServingRuntime", "ClusterServingRuntime"];

/** Kinds and groups that `spec.model` and `spec.runtime` give and that do not exist. */
export function faultsOfReferences({ spec }: InferenceService): ReferenceFault[] {
  const { model, runtime } = spec;
  const written: [string, string | undefined, readonly string[]][] = [
    ["spec.model.kind", model?.kind, modelKinds],
    ["spec.model.apiGroup", model?.apiGroup, groups],
    ["spec.runtime.kind", runtime?.kind, runtimeKinds],
    ["spec.runtime.apiGroup", runtime?.apiGroup, groups],
  ];
  return written.flatMap(([field, value, allowed]) =>
    !value || allowed.includes(value) ? [] : [{ field, value, allowed }],
  );
}

export const describeReferenceFault = ({ field, value, allowed }: ReferenceFault): string =>
  `${field}: ${value} is not supported; use ${allowed.join(" or ")}`;
