import type { RegistryRefusal, RepositoryReport, TagReport } from "@trivium/domain";

/**
 * What a registry said. This is no `Fact`, because nothing hangs on an answer that stays away: a source only adds, and what it has added is
 * found by its owner. So the filters that were answered are followed while others are not.
 */
export type Reported<R> =
  | R
  | RegistryRefusal
  | { readonly is: "being asked" }
  | { readonly is: "silent"; readonly why: string };

/** What the registry said for one filter. */
export interface ObservedFilter {
  readonly image: string;
  readonly repositories?: Reported<RepositoryReport>;
  readonly tags: readonly { readonly repository: string; readonly report: Reported<TagReport> }[];
}

/** More repositories than this in one filter are not looked through. */
export const maxRepositories = 500;
