import type { FieldReader } from "@trivium/engines";
import type { AnyObject } from "@trivium/kube";

type FoundModel =
  | { readonly is: "found"; readonly model: AnyObject | undefined }
  | { readonly is: "missing"; readonly what: string };

const models = ["AIMModel", "AIMImage", "AIMClusterModel", "AIMClusterImage"];
const templates = ["AIMServiceTemplate", "AIMClusterServiceTemplate"];

/** The model that a service names among other objects; none where it has its own. */
export function findModel(service: FieldReader, others: readonly AnyObject[]): FoundModel {
  const name =
    service.take<string>("modelName", "spec", "model", "ref") ??
    service.take<string>("modelName", "spec", "model", "name") ??
    service.take<string>("modelName", "spec", "aimImageName");
  if (name !== undefined) {
    const model = first(others, models, ({ metadata }) => metadata.name === name);
    return model === undefined ? { is: "missing", what: `AIMModel ${name}` } : { is: "found", model };
  }
  const image = service.skip<string>("spec", "model", "image");
  if (image === undefined) return { is: "found", model: undefined };
  return { is: "found", model: first(others, models, ({ spec }) => (spec as { image?: string }).image === image) };
}

interface Beside {
  readonly others: readonly AnyObject[];
  readonly model: AnyObject | undefined;
}

/** The template that a service names; else the only one of its model. */
export function findTemplate(service: FieldReader, { others, model }: Beside): AnyObject | undefined {
  const name = service.skip<string>("spec", "templateRef") ?? service.skip<string>("spec", "template", "name");
  if (name !== undefined) {
    const named = first(others, templates, ({ metadata }) => metadata.name === name);
    if (named === undefined) service.note(undefined, ["spec", "templateRef"], name);
    return named;
  }
  const ofModel = others.filter(
    ({ kind, spec }) => templates.includes(kind) && model !== undefined && modelOf(spec) === model.metadata.name,
  );
  return ofModel.length === 1 ? ofModel[0] : undefined;
}

const modelOf = (spec: unknown): string | undefined => {
  const { modelName, aimImageName } = (spec ?? {}) as { modelName?: string; aimImageName?: string };
  return modelName ?? aimImageName;
};

/** Kinds in the order of precedence: those of the namespace before those of the cluster. */
function first(
  objects: readonly AnyObject[],
  kinds: readonly string[],
  matches: (object: AnyObject) => boolean,
): AnyObject | undefined {
  return kinds.flatMap((kind) => objects.filter((object) => object.kind === kind && matches(object)))[0];
}
