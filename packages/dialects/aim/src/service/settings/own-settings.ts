import { type Settings, settingsOf } from "../../runtime-config/settings/merge-settings.ts";
import type { Service } from "../names/names.ts";

/** Of the fields of a service only those that a config has too; its variables and Secrets have places of their own. */
export function ownSettings({ spec }: Service): Settings {
  const { defaultStorageClassName, pvcHeadroomPercent, storage, routing, labelPropagation } = spec;
  return settingsOf({ defaultStorageClassName, pvcHeadroomPercent, storage, routing, labelPropagation });
}
