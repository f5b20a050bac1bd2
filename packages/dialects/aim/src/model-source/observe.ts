import { askedEvery, type RegistryRefusal, registryRepositories, registryTags } from "@trivium/domain";
import { controllerOf } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, parseDuration } from "@trivium/std";
import { imageReads, type ObservedSecret, observeSecrets } from "../images/observe-image.ts";
import { AIMClusterModel } from "../kinds/model.ts";
import { labels } from "../labels.ts";
import { labelValueOf } from "../names.ts";
import type { ModelSource } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import {
  type ObservedRuntimeConfig,
  observeRuntimeConfig,
  runtimeConfigKinds,
} from "../runtime-config/settings/resolve.ts";
import { maxRepositories, type ObservedFilter, type Reported } from "./observed/observed-filter.ts";
import { type FilterPlan, parseFilter, prefixOf, takesRepository } from "./selection/filter.ts";
import { findImages, inOrder, modelNameOf } from "./selection/find-images.ts";

export interface ObservedSource {
  readonly secrets: readonly ObservedSecret[];
  /** By their place in the spec. */
  readonly filters: Readonly<Record<string, ObservedFilter>>;
  /** Images of models that this source has made; of some it was made to forget, when somebody took it away and wrote it again. */
  readonly models: readonly { readonly name: string; readonly image: string; readonly isOrphan?: true }[];
  /** Names that models of somebody else have. */
  readonly taken: readonly string[];
  /** Where it is said which labels models take over. */
  readonly config: ObservedRuntimeConfig;
}

export const sourceReads = [...imageReads, ...runtimeConfigKinds, AIMClusterModel] as const;

/** Asking more often than this helps nobody, whatever the spec says. */
const shortest = 60_000;
const usual = 3_600_000;

function intervalOf({ spec }: ModelSource): number {
  const wanted = parseDuration(spec.syncInterval ?? "1h");
  return Math.max(shortest, wanted === undefined || wanted <= 0 ? usual : wanted);
}

export function observeSource(source: ModelSource, reader: Reader, { operatorNamespace }: AimOptions): ObservedSource {
  const secrets = observeSecrets(reader, operatorNamespace, source.spec.imagePullSecrets ?? []);
  const present = secrets.flatMap((one) => (one.is === "there" ? [{ name: one.name, version: one.version }] : []));
  const asking: Asking = {
    reader,
    logins: { namespace: operatorNamespace, secrets: present },
    everyMs: intervalOf(source),
  };
  const filters = source.spec.filters.map((filter, at) => {
    const parsed = parseFilter(filter, source);
    const observed = parsed.is === "plan" ? observeFilter(parsed.plan, asking) : { tags: [] };
    return [String(at), { image: filter.image, ...observed }] as const;
  });
  const observed = { secrets, filters: Object.fromEntries(filters), models: observeModels(source, reader) };
  return {
    ...observed,
    taken: observeTaken(source, reader, observed),
    config: observeRuntimeConfig(reader, { name: undefined, namespace: operatorNamespace }),
  };
}

function observeModels({ metadata }: ModelSource, reader: Reader): ObservedSource["models"] {
  const { uid = "", name = "" } = metadata;
  const own = uid === "" ? [] : reader.list(AIMClusterModel, { owner: uid });
  const orphans = reader
    .list(AIMClusterModel, { labels: { [labels.modelSource]: labelValueOf(name) } })
    .filter((model) => controllerOf(model) === undefined);
  return [
    ...own.map((model) => ({ name: model.metadata.name ?? "", image: model.spec.image })),
    ...orphans.map((model) => ({ name: model.metadata.name ?? "", image: model.spec.image, isOrphan: true as const })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Of the images that are next to become models: which names are not free. */
function observeTaken(
  source: ModelSource,
  reader: Reader,
  { filters, models }: Pick<ObservedSource, "filters" | "models">,
): string[] {
  const own = new Set(models.map(({ name }) => name));
  const names = inOrder(findImages(source, filters).flatMap(({ images }) => images)).map(modelNameOf);
  const taken: string[] = [];
  let space = maxModelsOf(source) - own.size;
  for (const name of names) {
    if (space <= 0) break;
    if (own.has(name)) continue;
    if (reader.get(AIMClusterModel, { name }).is === "known") taken.push(name);
    else space -= 1;
  }
  return taken;
}

export const maxModelsOf = ({ spec }: ModelSource): number => spec.maxModels ?? 100;

interface Asking {
  readonly reader: Reader;
  readonly logins: { readonly namespace: string; readonly secrets: readonly { name: string; version: string }[] };
  readonly everyMs: number;
}

function observeFilter(plan: FilterPlan, asking: Asking): Omit<ObservedFilter, "image"> {
  if (!plan.isPattern && plan.tags !== undefined) return { tags: [] };
  if (!plan.isPattern) return { tags: [tagsOf(plan, plan.repository, asking)] };
  const { reader, logins, everyMs } = asking;
  const input = { registry: plan.registry, prefix: prefixOf(plan), logins, everyMs };
  const repositories = reportedBy(reader.ask(askedEvery(registryRepositories, everyMs), input));
  if (repositories.is !== "repositories") return { repositories, tags: [] };
  const names = repositories.repositories.filter((name) => takesRepository(plan, name));
  const asked = names.toSorted().slice(0, maxRepositories);
  return { repositories, tags: asked.map((name) => tagsOf(plan, name, asking)) };
}

function tagsOf({ registry }: FilterPlan, repository: string, { reader, logins, everyMs }: Asking) {
  const input = { registry, repository, logins, everyMs };
  return { repository, report: reportedBy(reader.ask(askedEvery(registryTags, everyMs), input)) };
}

function reportedBy<R>(fact: Fact<R | RegistryRefusal>): Reported<R> {
  if (fact.is === "known") return fact.value;
  if (fact.is === "pending") return { is: "being asked" };
  return { is: "silent", why: fact.is === "unreachable" ? fact.why : "not found" };
}
