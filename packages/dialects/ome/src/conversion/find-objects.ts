import type { FieldReader } from "@trivium/engines";
import type { AnyObject } from "@trivium/kube";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import { ClusterServingRuntime, ServingRuntime } from "../kinds/serving-runtime.ts";

type Kinds = readonly { readonly kind: string }[];

/** The model that a service names among other objects, in its present or its older form. */
export function findModel(
  service: FieldReader,
  others: readonly AnyObject[],
): { name: string; model: AnyObject | undefined } {
  const name =
    service.take<string>("modelName", "spec", "model", "name") ??
    service.take<string>("modelName", "spec", "predictor", "model", "baseModel") ??
    "";
  const kind = service.skip<string>("spec", "model", "kind");
  service.skip("spec", "model", "apiGroup");
  return { name, model: find(others, [BaseModel, ClusterBaseModel], { name, kind }) };
}

/** The runtime that a service names; else the only one beside it. */
export function findRuntime(service: FieldReader, others: readonly AnyObject[]): AnyObject | undefined {
  const path = ["spec", "runtime", "name"];
  const name = service.skip<string>(...path) ?? service.skip<string>("spec", "predictor", "model", "runtime");
  const kind = service.skip<string>("spec", "runtime", "kind");
  service.skip("spec", "runtime", "apiGroup");
  const kinds = [ServingRuntime, ClusterServingRuntime];
  if (name === undefined) {
    const all = others.filter((object) => kinds.some((one) => one.kind === object.kind));
    return all.length === 1 ? all[0] : undefined;
  }
  const found = find(others, kinds, { name, kind });
  if (found === undefined) {
    service.note(undefined, path, name);
    if (kind !== undefined) service.note(undefined, ["spec", "runtime", "kind"], kind);
  }
  return found;
}

function find(others: readonly AnyObject[], kinds: Kinds, { name, kind }: { name: string; kind: string | undefined }) {
  const matching = others.filter(({ metadata }) => metadata.name === name);
  const wanted = kind === undefined ? kinds : kinds.filter((one) => one.kind === kind);
  return wanted.flatMap((one) => matching.filter((object) => object.kind === one.kind))[0];
}
