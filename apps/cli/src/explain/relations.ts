import type { AnyObject, DefinedKind } from "@trivium/kube";
import { isObject, type Json } from "@trivium/std";

/** An object that another one names: by kind, or by whichever of several kinds there is. */
export interface Relation {
  readonly kinds: readonly string[];
  readonly name: string;
  readonly namespace?: string | undefined;
}

const text = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** What an object of a dialect stands on, in the order in which it is needed. */
export function relationsOf(object: AnyObject, kind: DefinedKind): Relation[] {
  const spec = (object.spec ?? {}) as Record<string, Json>;
  const status = (object.status ?? {}) as Record<string, Json>;
  const { namespace } = object.metadata;
  const named = (kinds: readonly string[], name: string | undefined): Relation[] =>
    name === undefined ? [] : [{ kinds, name, namespace }];
  switch (`${kind.kind}.${kind.group}`) {
    case "InferenceService.inference.llmkube.dev":
      return named(["Model"], text(spec.modelRef));
    case "InferenceService.ome.io": {
      const model = isObject(spec.model) ? spec.model : {};
      const weights = Array.isArray(model.fineTunedWeights) ? model.fineTunedWeights : [];
      return [
        ...named(["BaseModel", "ClusterBaseModel"], text(model.name)),
        ...weights.flatMap((name) => named(["FineTunedWeight"], text(name))),
      ];
    }
    default:
      // AIM writes down what it found, with kind, name and scope.
      return Object.entries(status)
        .filter(([key]) => key.startsWith("resolved"))
        .flatMap(([key, ref]) => (isObject(ref) ? resolved(key, ref) : []));
  }
}

const plainKinds: Readonly<Record<string, readonly string[]>> = {
  resolvedModel: ["AIMModel", "AIMClusterModel"],
  resolvedImage: ["AIMModel", "AIMClusterModel"],
  resolvedTemplate: ["AIMServiceTemplate", "AIMClusterServiceTemplate"],
  resolvedTemplateCache: ["AIMTemplateCache"],
  resolvedRuntimeConfig: ["AIMRuntimeConfig", "AIMClusterRuntimeConfig"],
};

function resolved(key: string, ref: Readonly<Record<string, Json>>): Relation[] {
  const name = text(ref.name);
  const kinds = text(ref.kind) === undefined ? plainKinds[key] : [text(ref.kind) as string];
  return name === undefined || kinds === undefined ? [] : [{ kinds, name, namespace: text(ref.namespace) }];
}
