import type { Model } from "../../objects.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";

/** A model with weights of its own is run by an image that knows nothing of it. */
export const isCustomModel = ({ spec }: Model): boolean => (spec.modelSources ?? []).length > 0;

/** The model decides, then the runtime config; without a word from either the image is looked into. */
export function isDiscoveryEnabled({ spec }: Model, { model }: Settings): boolean {
  const { enabled, extractMetadata } = spec.discovery ?? {};
  return enabled ?? extractMetadata ?? model.autoDiscovery ?? true;
}

export function makesTemplates({ spec }: Model): boolean {
  const { autoCreateTemplates, createServiceTemplates } = spec.discovery ?? {};
  return autoCreateTemplates ?? createServiceTemplates ?? true;
}

/** Whether the registry has to be asked. */
export const wantsInspection = (model: Model, settings: Settings): boolean =>
  !isCustomModel(model) && model.spec.imageMetadata === undefined && isDiscoveryEnabled(model, settings);

/** An image that runs weights of others says nothing of them; whether it is there is worth knowing, unless registries are not to be asked. */
export const wantsExistence = (model: Model, settings: Settings): boolean =>
  isCustomModel(model) && isDiscoveryEnabled(model, settings);
