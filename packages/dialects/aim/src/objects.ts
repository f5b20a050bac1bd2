import type { ObjectOf } from "@trivium/kube";
import type { AIMClusterModelSource } from "./kinds/cluster-model-source.ts";
import type { AIMModel } from "./kinds/model.ts";
import type { AIMRuntimeConfig } from "./kinds/runtime-config.ts";
import type { AIMClusterServiceTemplate, AIMServiceTemplate } from "./kinds/service-template.ts";

/** Objects of the kinds of the catalog; a kind and its twin have the same type. */
export type Model = ObjectOf<typeof AIMModel>;
export type RuntimeConfig = ObjectOf<typeof AIMRuntimeConfig>;
export type ModelSource = ObjectOf<typeof AIMClusterModelSource>;
/** `caching` is there for the namespaced kind alone. */
export type Template = ObjectOf<typeof AIMServiceTemplate> | ObjectOf<typeof AIMClusterServiceTemplate>;

type WithStatus<O extends { status?: unknown }> = NonNullable<O["status"]>;
export type ModelStatus = WithStatus<Model>;
export type TemplateStatus = WithStatus<Template>;
export type RuntimeConfigSpec = NonNullable<RuntimeConfig["spec"]>;
/** Where a reference led to. */
export type ResolvedReference = NonNullable<ModelStatus["resolvedRuntimeConfig"]>;
