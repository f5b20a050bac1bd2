import type { ModelSource } from "../objects.ts";
import { noSettings, type Settings } from "../runtime-config/settings/merge-settings.ts";
import { resolveRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import { maxModelsOf, type ObservedSource } from "./observe.ts";
import {
  type FilterReport,
  type FoundImage,
  findImages,
  imageTextOf,
  inOrder,
  modelNameOf,
} from "./selection/find-images.ts";

/** What a source finds, and which models follow from it. */
export interface LoweredSource {
  readonly reports: readonly FilterReport[];
  /** All images that match. */
  readonly available: number;
  /** Models that exist, or are being created. */
  readonly discovered: number;
  /** Images for which there is no space. */
  readonly leftOut: number;
  /** Images of its models that were not found this time. */
  readonly vanished: readonly string[];
  readonly missingSecrets: readonly string[];
  /** Names of models that it has. */
  readonly kept: readonly string[];
  /** Names of models that an earlier source of this name created. */
  readonly orphans: readonly string[];
  /** Images that become models now. */
  readonly fresh: readonly FoundImage[];
  readonly settings: Settings;
  /** A list that is on its way for the first time may change which images the limit leaves out. */
  readonly isUncertain: boolean;
}

export function lowerSource(source: ModelSource, observed: ObservedSource): LoweredSource {
  const config = resolveRuntimeConfig(observed.config);
  const reports = findImages(source, observed.filters);
  const found = inOrder(reports.flatMap(({ images }) => images));
  const names = new Set(observed.models.map(({ name }) => name));
  const free = freeImages(found, observed, names);
  const fresh = free.slice(0, Math.max(0, maxModelsOf(source) - names.size));
  const orphans = observed.models.flatMap(({ name, isOrphan }) => (isOrphan ? [name] : [])).sort();
  return {
    reports,
    available: found.length,
    discovered: names.size + fresh.length,
    leftOut: free.length - fresh.length,
    vanished: vanishedImages(observed, found),
    missingSecrets: observed.secrets.flatMap(({ is, name }) => (is === "missing" ? [name] : [])).sort(),
    kept: [...names].filter((name) => !orphans.includes(name)).sort(),
    orphans,
    fresh,
    settings: config.is === "resolved" ? config.settings : noSettings,
    isUncertain: reports.some(({ isPending }) => isPending) || config.is === "unknown",
  };
}

/** Images without a model whose name no other model has. */
function freeImages(
  found: readonly FoundImage[],
  observed: ObservedSource,
  names: ReadonlySet<string>,
): readonly FoundImage[] {
  const images = new Set(observed.models.map(({ image }) => image));
  const taken = new Set(observed.taken);
  const isFree = (name: string): boolean => !names.has(name) && !taken.has(name);
  return found.filter((image) => isFree(modelNameOf(image)) && !images.has(imageTextOf(image)));
}

function vanishedImages({ models }: ObservedSource, found: readonly FoundImage[]): string[] {
  const present = new Set(found.map(imageTextOf));
  return models.flatMap(({ image }) => (present.has(image) ? [] : [image])).sort();
}
