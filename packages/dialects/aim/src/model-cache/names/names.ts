import type { ObjectOf } from "@trivium/kube";
import type { AIMModelCache } from "../../kinds/model-cache.ts";
import { nameBefore, objectName } from "../../names.ts";

export type ModelCache = ObjectOf<typeof AIMModelCache>;
export type ModelCacheStatus = NonNullable<ModelCache["status"]>;

const nameOf = ({ metadata }: ModelCache): string => metadata.name ?? "";
/** A try after the first has a number: a Job that failed stays to be read until the next one starts. */
const numbered = (attempt: number): string => (attempt > 1 ? `-${attempt}` : "");

/** Cut at its end where it is too long, as other tools expect it; where another cache has that claim already, the name below is used. */
export const claimNameOf = (cache: ModelCache): string => objectName(`${nameOf(cache)}-cache`);
/** Where the usual name is held by the claim of a cache that is gone: pods that still use it keep it there. */
export const otherClaimNameOf = (cache: ModelCache): string =>
  nameBefore(nameOf(cache), `-${(cache.metadata.uid ?? "").slice(0, 8)}-cache`);
export const downloadNameOf = (cache: ModelCache, attempt: number): string =>
  nameBefore(nameOf(cache), `-cache-download${numbered(attempt)}`);
export const measureNameOf = (cache: ModelCache, attempt: number): string =>
  nameBefore(nameOf(cache), `-check-size${numbered(attempt)}`);

/** Whether a Job of this name asks for the size of weights, rather than fetches them. */
export const isMeasureName = (name: string): boolean => /-check-size(-\d+)?$/.test(name);

/** Which try is on now. */
export const attemptOf = ({ status }: ModelCache): number => Math.max(1, status?.download?.attempt ?? 1);

/** `organisation/name`; without one, the address without its scheme. */
export const modelIdOf = ({ spec }: ModelCache): string =>
  spec.modelId || spec.sourceUri.replace(/^[a-z0-9]+:\/\//, "");
