import type { Kind } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { deepEqual, parseImageReference } from "@trivium/std";
import { autoModelName } from "../../images/names.ts";
import { AIMClusterModel, AIMModel } from "../../kinds/model.ts";
import { labels } from "../../labels.ts";
import { derivedName } from "../../names.ts";
import type { Model } from "../../objects.ts";
import type { AimOptions } from "../../options.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import type { Service } from "../names/names.ts";
import type { ObservedModel } from "../observed/observed-service.ts";

/** How a service says which model it means. */
type ModelRequest =
  | { readonly by: "name"; readonly name: string }
  | { readonly by: "image"; readonly image: string }
  | { readonly by: "custom"; readonly name: string; readonly custom: Custom };

export type Custom = NonNullable<NonNullable<Service["spec"]["model"]>["custom"]>;

export function modelRequestOf({ spec }: Service, options: Pick<AimOptions, "baseImage">): ModelRequest {
  const { model, aimImageName } = spec;
  if (model?.custom !== undefined)
    return { by: "custom", name: customNameOf(model.custom, options), custom: model.custom };
  if (model?.image !== undefined) return { by: "image", image: model.image };
  return { by: "name", name: model?.ref ?? model?.name ?? aimImageName ?? "" };
}

/** The same weights on the same hardware are one model, whichever services describe it. */
function customNameOf(custom: Custom, options: Pick<AimOptions, "baseImage">): string {
  const { modelSources, hardware, baseImage = options.baseImage } = custom;
  return derivedName([modelSources[0]?.modelId ?? "custom"], [baseImage, weightsOf(modelSources), hardware]);
}

/** Which weights these are, wherever their credentials come from. */
const weightsOf = (sources: Custom["modelSources"]) =>
  sources.map(({ modelId, sourceUri, env = [] }) => {
    const endpoint = env.find(({ name }) => name === "AWS_ENDPOINT_URL")?.value ?? "";
    return [modelId, sourceUri, endpoint];
  });

/** Whether a model was created for these weights on this hardware, whatever the operator's default image was then. */
export function isDescribedBy({ modelSources, hardware, baseImage }: Custom, { metadata, spec }: Model): boolean {
  if (metadata.labels?.[labels.customModel] !== "true" || metadata.labels[labels.autoCreated] !== "true") return false;
  if (baseImage !== undefined && baseImage !== spec.image) return false;
  const isSame = deepEqual(weightsOf(spec.modelSources ?? []), weightsOf(modelSources));
  return isSame && deepEqual(spec.custom?.hardware, hardware);
}

type ModelChoice =
  | { readonly is: "found"; readonly model: ObservedModel }
  /** It is made now and looked for again. */
  | { readonly is: "made"; readonly child: Desired<Model>; readonly message: string }
  | { readonly is: "missing"; readonly message: string }
  | {
      readonly is: "failed";
      readonly reason: "MultipleModelsFound" | "InvalidImageReference";
      readonly message: string;
    };

interface ModelInput {
  readonly service: Service;
  readonly models: readonly ObservedModel[];
  readonly settings: Settings;
  readonly options: AimOptions;
}

export function chooseModel({ service, models, settings, options }: ModelInput): ModelChoice {
  const request = modelRequestOf(service, options);
  const [first, ...others] = preferred(service, models);
  if (first !== undefined && others.length > 0) {
    const names = [first, ...others].map(({ kind, name }) => `${kind} ${name}`).sort();
    const message = `Several models use this image: ${names.join(", ")}; set spec.model.ref to one of them`;
    return { is: "failed", reason: "MultipleModelsFound", message };
  }
  if (first !== undefined) return { is: "found", model: first };
  switch (request.by) {
    case "name": {
      const message = `AIMModel or AIMClusterModel ${request.name} not found; create it, or change ${modelFieldOf(service)}`;
      return { is: "missing", message };
    }
    case "image":
      if (parseImageReference(request.image) !== undefined) return made(imageModel(service, request.image, settings));
      return {
        is: "failed",
        reason: "InvalidImageReference",
        message: `spec.model.image "${request.image.slice(0, 200)}" is not a valid image reference (expected e.g. registry.example/name:tag); correct it`,
      };
    case "custom":
      return made(customModel(service, request, { settings, options }));
  }
}

/** The spelling that the service uses. */
function modelFieldOf({ spec }: Service): string {
  if (spec.model?.ref !== undefined) return "spec.model.ref";
  return spec.model?.name === undefined ? "spec.aimImageName" : "spec.model.name";
}

/** Of several models with one image: the one that the service runs already, else those of its own namespace. */
function preferred({ status }: Service, models: readonly ObservedModel[]): readonly ObservedModel[] {
  const before = status?.resolvedModel ?? status?.resolvedImage;
  const same = models.filter(
    ({ uid, kind, name }) => uid === before?.uid && kind === before.kind && name === before.name,
  );
  if (same.length > 0) return same;
  const near = models.filter(({ scope }) => scope === "Namespace");
  return near.length > 0 ? near : models;
}

function made(child: Desired<Model>): ModelChoice {
  const { metadata, spec } = child.object;
  const next = spec.discovery?.enabled === true ? "waiting for discovery" : "waiting for it to become ready";
  const message = `Created ${child.kind.kind} ${metadata.name} for this service; ${next}`;
  return { is: "made", child, message };
}

function imageModel(service: Service, image: string, settings: Settings): Desired<Model> {
  const { model = {} } = service.spec;
  const isClusterWide = (model.creationScope ?? settings.model.creationScope) === "Cluster";
  const isLookedInto = model.autoDiscovery ?? settings.model.autoDiscovery ?? true;
  return modelOf(service, isClusterWide ? AIMClusterModel : AIMModel, {
    name: autoModelName(image),
    settings,
    spec: { image, discovery: { enabled: isLookedInto, autoCreateTemplates: true } },
  });
}

function customModel(
  service: Service,
  { name, custom }: Extract<ModelRequest, { by: "custom" }>,
  { settings, options }: Pick<ModelInput, "settings" | "options">,
): Desired<Model> {
  const { modelSources, hardware, baseImage } = custom;
  const spec = { image: baseImage ?? options.baseImage, modelSources, custom: { hardware } };
  return modelOf(service, AIMModel, { name, settings, spec, labels: { [labels.customModel]: "true" } });
}

interface ModelPlan {
  readonly name: string;
  readonly settings: Settings;
  readonly spec: Model["spec"];
  readonly labels?: Readonly<Record<string, string>>;
}

function modelOf({ metadata, spec }: Service, kind: Kind<Model>, plan: ModelPlan): Desired<Model> {
  const { runtimeConfigName, imagePullSecrets, serviceAccountName } = spec;
  const own = { [labels.autoCreated]: "true", ...plan.labels };
  const object: Model = {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: plan.name, labels: propagateLabels(plan.settings, metadata.labels, own) },
    spec: {
      ...plan.spec,
      ...(runtimeConfigName === undefined ? {} : { runtimeConfigName }),
      ...(imagePullSecrets === undefined ? {} : { imagePullSecrets }),
      ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    },
  };
  return { kind, object, outlivesOwner: true, createOnly: true };
}
