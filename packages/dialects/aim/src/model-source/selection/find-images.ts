import { compareVersions, parseSemanticVersion } from "@trivium/engines";
import { formatImage, type Instant } from "@trivium/std";
import { derivedName } from "../../names.ts";
import type { ModelSource } from "../../objects.ts";
import { maxRepositories, type ObservedFilter, type Reported } from "../observed/observed-filter.ts";
import { type FilterPlan, parseFilter, takenTags, takesRepository } from "./filter.ts";

/** An image that a source is to have a model of. */
export interface FoundImage {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
}

export const imageTextOf = ({ registry, repository, tag }: FoundImage): string =>
  formatImage(registry, repository, tag);

/** The name of the model that is made of it. */
export const modelNameOf = ({ registry, repository, tag }: FoundImage): string =>
  derivedName([repository, tag], [registry, repository, tag], { digits: 6, dots: "kept" });

export interface FilterReport {
  readonly images: readonly FoundImage[];
  /** Why it found nothing, or not all. */
  readonly faults: readonly string[];
  /** Whether anything of it could be looked up. */
  readonly isAnswered: boolean;
  /** Whether something is still being asked. */
  readonly isPending: boolean;
  /** The registry did not answer. */
  readonly isUnresolved: boolean;
  readonly at?: Instant;
}

/** What each filter finds, in the order of the spec. */
export function findImages(source: ModelSource, filters: Readonly<Record<string, ObservedFilter>>): FilterReport[] {
  return source.spec.filters.map((filter, at) => {
    const parsed = parseFilter(filter, source);
    if (parsed.is === "faulty") return { ...nothing, faults: [`filter ${filter.image}: ${parsed.why}`] };
    return reportOf(parsed.plan, filters[String(at)] ?? { image: filter.image, tags: [] });
  });
}

const nothing = { images: [], faults: [], isAnswered: false, isPending: false, isUnresolved: false } as const;

function reportOf(plan: FilterPlan, observed: ObservedFilter): FilterReport {
  const { registry, repository } = plan;
  if (!plan.isPattern && plan.tags !== undefined) {
    const isTaken = takesRepository(plan, repository);
    return {
      ...nothing,
      isAnswered: true,
      images: isTaken ? plan.tags.map((tag) => ({ registry, repository, tag })) : [],
    };
  }
  const parts = [
    // A list without anything that fits is an answer, too.
    ...(observed.repositories === undefined ? [] : [read(observed.repositories, `filter ${observed.image}`)]),
    ...tooMany(plan, observed),
    ...observed.tags.filter((one) => takesRepository(plan, one.repository)).map((one) => tagPart(plan, one)),
  ];
  return parts.reduce(together, nothing);
}

function tooMany(plan: FilterPlan, { repositories, image }: ObservedFilter): FilterReport[] {
  if (repositories?.is !== "repositories") return [];
  const fitting = repositories.repositories.filter((name) => takesRepository(plan, name)).length;
  if (fitting <= maxRepositories) return [];
  const fault = `filter ${image}: matches ${fitting} repositories, but only the first ${maxRepositories} are searched; narrow it`;
  return [{ ...nothing, faults: [fault] }];
}

function together(a: FilterReport, b: FilterReport): FilterReport {
  const at = Math.max(a.at ?? 0, b.at ?? 0);
  return {
    images: [...a.images, ...b.images],
    faults: [...a.faults, ...b.faults],
    isAnswered: a.isAnswered || b.isAnswered,
    isPending: a.isPending || b.isPending,
    isUnresolved: a.isUnresolved || b.isUnresolved,
    ...(at === 0 ? {} : { at }),
  };
}

/** What an answer means, apart from what it lists. */
function read(reported: Reported<{ readonly is: string; readonly at: Instant }>, what: string): FilterReport {
  if ("at" in reported) return { ...nothing, isAnswered: true, at: reported.at };
  if (reported.is === "being asked") return { ...nothing, isPending: true };
  const why = "why" in reported ? reported.why : "";
  const isSilent = reported.is === "silent";
  const remedy = isSilent
    ? "retrying automatically; check the registry if this does not change"
    : "add a Secret with access to the registry to spec.imagePullSecrets, or correct spec.filters";
  return { ...nothing, isUnresolved: isSilent, faults: [`${what}: ${why}; ${remedy}`] };
}

function tagPart(plan: FilterPlan, { repository, report }: ObservedFilter["tags"][number]): FilterReport {
  const rest = read(report, `${plan.registry}/${repository}`);
  if (report.is !== "tags") return rest;
  const images = takenTags(plan, report.tags).map((tag) => ({ registry: plan.registry, repository, tag }));
  return { ...rest, images };
}

/** Each image once: by repository, the newest versions first, so that a limit keeps those that people want. */
export function inOrder(images: readonly FoundImage[]): FoundImage[] {
  const byName = new Map(images.map((image) => [`${image.registry}/${image.repository}:${image.tag}`, image]));
  return [...byName.values()].sort(
    (a, b) => compare(a.registry, b.registry) || compare(a.repository, b.repository) || newestFirst(a.tag, b.tag),
  );
}

function newestFirst(a: string, b: string): number {
  const [left, right] = [parseSemanticVersion(a), parseSemanticVersion(b)];
  if (left !== undefined && right !== undefined) return compareVersions(right, left) || compare(a, b);
  if (left === undefined && right === undefined) return compare(a, b);
  return left === undefined ? 1 : -1;
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
