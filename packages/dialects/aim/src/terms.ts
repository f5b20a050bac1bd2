import { annotations } from "./labels.ts";

/** Words of messages that differ between the groups of this API. */
export interface Terms {
  /** The kind of one set of weights on a volume. */
  readonly cacheKind: string;
  /** The annotation that repeats a download that was given up. */
  readonly retry: string;
}

export const defaultTerms: Terms = { cacheKind: "AIMModelCache", retry: annotations.retry };
