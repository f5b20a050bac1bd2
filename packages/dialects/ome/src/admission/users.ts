import type { Reader } from "@trivium/reconcile";
import { withoutPredictor } from "../inference-service/roles/predictor.ts";
import { BaseModel } from "../kinds/base-model.ts";
import { InferenceService } from "../kinds/inference-service.ts";

type UsersReader = Reader<typeof InferenceService | typeof BaseModel>;

/** The services that serve a model. A model of a namespace hides one of the cluster that has its name. */
export function usersOfModel({ metadata }: BaseModel, reader: UsersReader): string[] {
  const { namespace, name = "" } = metadata;
  const isMeant = (service: InferenceService): boolean => {
    const { model } = withoutPredictor(service).spec;
    if (model?.name !== name) return false;
    if (namespace !== undefined) return true;
    const isHidden = reader.get(BaseModel, { namespace: service.metadata.namespace, name }).is === "known";
    return model.kind !== "BaseModel" && !isHidden;
  };
  return namesOf(reader.list(InferenceService, { namespace }).filter(isMeant));
}

export function usersOfWeight(name: string, reader: Reader<typeof InferenceService>): string[] {
  const services = reader.list(InferenceService, {});
  return namesOf(
    services.filter((service) => withoutPredictor(service).spec.model?.fineTunedWeights?.includes(name) === true),
  );
}

const namesOf = (services: readonly InferenceService[]): string[] =>
  services.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();

/** The first few of many. */
export const listed = (users: readonly string[]): string =>
  users.length <= 5 ? users.join(", ") : `${users.slice(0, 5).join(", ")} and ${users.length - 5} more`;
