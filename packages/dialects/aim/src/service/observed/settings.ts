import { mergeSettings, type Settings, settingsOf } from "../../runtime-config/settings/merge-settings.ts";
import type { ResolvedConfig } from "../../runtime-config/settings/resolve.ts";
import type { Service } from "../names/names.ts";

/** What a service itself sets for storage, routing and labels, laid over its config. Nothing while there is no config. */
export const settingsFor = (service: Service, config: ResolvedConfig): Settings | undefined =>
  config.is === "resolved" ? mergeSettings(config.settings, ownSettings(service)) : undefined;

/** Of the fields of a service only those that a config has too; its variables and Secrets have places of their own. */
export function ownSettings({ spec }: Service): Settings {
  const { defaultStorageClassName, pvcHeadroomPercent, storage, routing, labelPropagation } = spec;
  return settingsOf({ defaultStorageClassName, pvcHeadroomPercent, storage, routing, labelPropagation });
}
