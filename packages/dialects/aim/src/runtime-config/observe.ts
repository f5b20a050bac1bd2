import { StorageClass } from "@trivium/kube";
import { type Reader, type Tolerated, tolerate } from "@trivium/reconcile";
import { known } from "@trivium/std";
import type { RuntimeConfig } from "../objects.ts";
import { settingsOf } from "./settings/merge-settings.ts";

export interface ObservedConfig {
  /** The storage class that it names, where it names one. */
  readonly storageClass?: Tolerated<true>;
}

export function observeConfig({ spec }: RuntimeConfig, reader: Reader<typeof StorageClass>): ObservedConfig {
  const { storageClassName } = settingsOf(spec ?? {});
  if (!storageClassName) return {};
  const found = reader.get(StorageClass, { name: storageClassName });
  return { storageClass: tolerate(found.is === "known" ? known(true) : found) };
}
