import type { Resource } from "./resource.ts";

/** All resources served right now. CRDs come and go while the server runs. */
export interface Registry {
  /** Every served resource at every version, in a stable order. */
  all(): readonly Resource[];
  find(group: string, version: string, plural: string): Resource | undefined;
  /** Rises with every change, so that documents made from the registry can be kept until then. */
  readonly revision: number;
}
