import type { Service } from "../names/names.ts";

/**
 * `Shared`: a cache for everyone, waited for. `Dedicated`: one of this service alone. `Auto`: a cache if there is one, else the container
 * fetches by itself.
 */
export type CachingMode = "Shared" | "Dedicated" | "Auto";

const byWord = {
  Shared: "Shared",
  Always: "Shared",
  Dedicated: "Dedicated",
  Never: "Dedicated",
  Auto: "Auto",
} as const;

export function cachingModeOf({ spec }: Service): CachingMode {
  const { mode } = spec.caching ?? {};
  if (mode !== undefined) return byWord[mode];
  if (spec.cacheModel === true) return "Shared";
  return spec.model?.custom === undefined ? "Auto" : "Dedicated";
}

/** Two settings for one thing: the newer one counts, and a person should know. */
export function cachingConflict({ spec }: Service): string | undefined {
  const { mode } = spec.caching ?? {};
  if (mode === undefined || spec.cacheModel !== true || byWord[mode] === "Shared") return undefined;
  return `spec.caching.mode ${mode} overrides spec.cacheModel; remove one of them`;
}

/** A mode counts from the start of a service on. */
export function cachingTooLate(service: Service): string | undefined {
  if (cachingModeOf(service) === "Auto") return undefined;
  return "Caching is requested, but the service already runs on its own volume and keeps it; delete and recreate the service to use a cache";
}
