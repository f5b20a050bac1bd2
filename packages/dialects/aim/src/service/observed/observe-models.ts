import type { Kind, KubeObject, OwnerReference } from "@trivium/kube";
import { absent, type Fact, known } from "@trivium/std";
import { AIMClusterImage, AIMClusterModel, AIMImage, AIMModel } from "../../kinds/model.ts";
import { labels } from "../../labels.ts";
import type { Model } from "../../objects.ts";
import type { AimOptions } from "../../options.ts";
import type { Service } from "../names/names.ts";
import { type Custom, isDescribedBy, modelRequestOf } from "../selection/choose-model.ts";
import type { ObservedModel } from "./observed-service.ts";
import { modelKinds, type ServiceReader } from "./reads.ts";

/** By name the nearest; by image all that have it, since more than one is a fault. */
export function observeModels(
  service: Service,
  reader: ServiceReader,
  options: AimOptions,
): Fact<readonly ObservedModel[]> {
  const { namespace } = service.metadata;
  const request = modelRequestOf(service, options);
  if (request.by === "image") {
    const fields = { "spec.image": request.image };
    const inNamespace = [AIMModel, AIMImage].flatMap((kind) => reader.list(kind, { namespace, fields }));
    const everywhere = [AIMClusterModel, AIMClusterImage].flatMap((kind) => reader.list(kind, { fields }));
    const found = [...inNamespace, ...everywhere].filter(({ spec }) => !spec.modelSources);
    return known(withoutShadowed(found.map(observedModel)));
  }
  const before = request.by === "custom" ? observeUsed(service, request.custom, reader) : undefined;
  if (before?.is === "known") return known([observedModel(before.value)]);
  if (before !== undefined && before.is !== "absent") return before;
  const ref = { namespace, name: request.name };
  const found = request.by === "custom" ? reader.get(AIMModel, ref) : reader.nearest<Kind<Model>>(modelKinds, ref);
  if (found.is === "absent") return known([]);
  return found.is === "known" ? known([observedModel(found.value)]) : found;
}

/** The model that the service uses already: another default of the operator is no reason to describe the same weights once more. */
function observeUsed(service: Service, custom: Custom, reader: ServiceReader): Fact<Model> {
  const { kind, name } = service.status?.resolvedModel ?? {};
  if (kind !== AIMModel.kind || name === undefined) return absent;
  const found = reader.get(AIMModel, { namespace: service.metadata.namespace, name });
  return found.is === "known" && !isDescribedBy(custom, found.value) ? absent : found;
}

/** Under its older name a model counts only where no other has that name. */
function withoutShadowed(models: readonly ObservedModel[]): ObservedModel[] {
  const isModel = ({ kind }: ObservedModel): boolean => kind === AIMModel.kind || kind === AIMClusterModel.kind;
  const hides = (one: ObservedModel, other: ObservedModel) =>
    isModel(one) && one.scope === other.scope && one.name === other.name;
  return models.filter((other) => isModel(other) || !models.some((one) => hides(one, other)));
}

export const ownersOf = ({ metadata }: KubeObject): OwnerReference[] => metadata.ownerReferences ?? [];

function observedModel(model: Model): ObservedModel {
  const { kind, metadata, spec, status } = model;
  return {
    kind,
    scope: metadata.namespace === undefined ? "Cluster" : "Namespace",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    spec,
    owners: ownersOf(model),
    ...(metadata.labels?.[labels.autoCreated] === "true" ? { isMadeForServices: true } : {}),
    ...(status === undefined ? {} : { status }),
  };
}
