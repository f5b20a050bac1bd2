import {
  askedEvery,
  type RegistryRefusal,
  type RepositoryReport,
  registryRepositories,
  registryTags,
  type TagReport,
} from "@trivium/domain";
import type { Look } from "@trivium/reconcile";
import { type Fact, parseDuration } from "@trivium/std";
import { imageReads, observeSecrets, type SecretSeen } from "../images/observe-image.ts";
import { AIMClusterModel } from "../kinds/model.ts";
import type { ModelSource } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import { type FilterPlan, parseFilter, prefixOf, takesRepository } from "./filter.ts";

/**
 * What a registry said. This is no `Fact`, because nothing hangs on an answer that stays away: a source only adds, and what it has added is
 * found by its owner. So the filters that were answered are followed while others are not.
 */
export type Said<R> =
  | R
  | RegistryRefusal
  | { readonly is: "being asked" }
  | { readonly is: "silent"; readonly why: string };

/** What the registry said for one filter. */
export interface FilterSeen {
  readonly image: string;
  readonly repositories?: Said<RepositoryReport>;
  readonly tags: readonly { readonly repository: string; readonly report: Said<TagReport> }[];
}

export interface SourceSeen {
  readonly secrets: readonly SecretSeen[];
  /** By their place in the spec. */
  readonly filters: Readonly<Record<string, FilterSeen>>;
  /** Images of models that this source has made. */
  readonly models: readonly { readonly name: string; readonly image: string }[];
}

export const sourceReads = [...imageReads, AIMClusterModel] as const;

/** Asking more often than this helps nobody, whatever the spec says. */
const shortest = 60_000;
const usual = 3_600_000;
/** More repositories than this in one filter are not looked through. */
export const mostRepositories = 500;

export function intervalOf({ spec }: ModelSource): number {
  const wanted = parseDuration(spec.syncInterval ?? "1h");
  return Math.max(shortest, wanted === undefined || wanted <= 0 ? usual : wanted);
}

export function observeSource(source: ModelSource, look: Look, { operatorNamespace }: AimOptions): SourceSeen {
  const secrets = observeSecrets(look, operatorNamespace, source.spec.imagePullSecrets ?? []);
  const present = secrets.flatMap((one) => (one.is === "there" ? [{ name: one.name, version: one.version }] : []));
  const asking: Asking = {
    look,
    logins: { namespace: operatorNamespace, secrets: present },
    everyMs: intervalOf(source),
  };
  const { uid = "" } = source.metadata;
  const models = uid === "" ? [] : look.list(AIMClusterModel, { owner: uid });
  const filters = source.spec.filters.map((filter, at) => {
    const parsed = parseFilter(filter, source);
    const seen = parsed.is === "plan" ? observeFilter(parsed.plan, asking) : { tags: [] };
    return [String(at), { image: filter.image, ...seen }] as const;
  });
  return {
    secrets,
    filters: Object.fromEntries(filters),
    models: models.map(({ metadata, spec }) => ({ name: metadata.name ?? "", image: spec.image })),
  };
}

interface Asking {
  readonly look: Look;
  readonly logins: { readonly namespace: string; readonly secrets: readonly { name: string; version: string }[] };
  readonly everyMs: number;
}

function observeFilter(plan: FilterPlan, asking: Asking): Omit<FilterSeen, "image"> {
  if (!plan.isPattern && plan.tags !== undefined) return { tags: [] };
  if (!plan.isPattern) return { tags: [tagsOf(plan, plan.repository, asking)] };
  const { look, logins, everyMs } = asking;
  const question = { registry: plan.registry, prefix: prefixOf(plan), logins, everyMs };
  const repositories = saidBy(look.ask(askedEvery(registryRepositories, everyMs), question));
  if (repositories.is !== "repositories") return { repositories, tags: [] };
  const names = repositories.repositories.filter((name) => takesRepository(plan, name));
  const asked = names.toSorted().slice(0, mostRepositories);
  return { repositories, tags: asked.map((name) => tagsOf(plan, name, asking)) };
}

function tagsOf({ registry }: FilterPlan, repository: string, { look, logins, everyMs }: Asking) {
  const question = { registry, repository, logins, everyMs };
  return { repository, report: saidBy(look.ask(askedEvery(registryTags, everyMs), question)) };
}

function saidBy<R>(fact: Fact<R | RegistryRefusal>): Said<R> {
  if (fact.is === "known") return fact.value;
  if (fact.is === "pending") return { is: "being asked" };
  return { is: "silent", why: fact.is === "unreachable" ? fact.why : "there is nothing" };
}
