import { type Constraint, matchesRepository, parseConstraint, parseSemanticVersion } from "@trivium/engines";
import { splitRegistry } from "@trivium/std";
import type { ModelSource } from "../../objects.ts";

type Filter = ModelSource["spec"]["filters"][number];

/** A filter, taken apart: where to look, and what to keep. */
export interface FilterPlan {
  readonly registry: string;
  /** With `*`, or the name itself. */
  readonly repository: string;
  /** The registry has to say which repositories there are. */
  readonly isPattern: boolean;
  readonly exclude: readonly string[];
  /** Tags that need no list: the registry is not asked for them. */
  readonly tags?: readonly string[];
  readonly constraints: readonly Constraint[];
}

type ParsedFilter =
  | { readonly is: "plan"; readonly plan: FilterPlan }
  | { readonly is: "faulty"; readonly why: string };

const repositoryForm = /^[a-z0-9*]([a-z0-9._/*-]*[a-z0-9*])?$/;
const hostForm = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;
const tagForm = /^\w[\w.-]{0,127}$/;

/** Reads `[registry/]repository[:tag]`. A registry in the filter wins over the source's, a tag over all versions. */
export function parseFilter({ image, exclude = [], versions }: Filter, { spec }: ModelSource): ParsedFilter {
  const { registry: named, rest, isNamed } = splitRegistry(image.trim());
  const registry = normalizeRegistry(isNamed ? named : spec.registry || "docker.io");
  const colon = rest.lastIndexOf(":");
  const [repository, tag] = colon < 0 ? [rest, undefined] : [rest.slice(0, colon), rest.slice(colon + 1)];
  if (!hostForm.test(registry)) return faulty(`${registry} is not a valid registry host`);
  if (!repositoryForm.test(repository) || repository.includes("//"))
    return faulty(`${repository} is not a valid repository`);
  if (tag !== undefined && !tagForm.test(tag)) return faulty(`${tag} is not a valid tag`);
  const isPattern = repository.includes("*");
  const base = { registry, repository, isPattern, exclude };
  if (tag !== undefined) return { is: "plan", plan: { ...base, tags: [tag], constraints: [] } };
  return withVersions(base, versions ?? spec.versions ?? []);
}

function withVersions(base: Omit<FilterPlan, "constraints" | "tags">, versions: readonly string[]): ParsedFilter {
  const constraints: Constraint[] = [];
  for (const text of versions) {
    const constraint = parseConstraint(text);
    if (constraint === undefined)
      return faulty(
        `version constraint ${JSON.stringify(text)} is not valid; correct spec.versions, or versions of the filter`,
      );
    constraints.push(constraint);
  }
  // Versions without operators are tags already; several of them are a list to choose from.
  const isExact = versions.length > 0 && versions.every((text) => parseSemanticVersion(text.trim()) !== undefined);
  if (isExact && !base.isPattern)
    return { is: "plan", plan: { ...base, tags: versions.map((text) => text.trim()), constraints: [] } };
  if (isExact)
    return { is: "plan", plan: { ...base, constraints: [(version) => constraints.some((one) => one(version))] } };
  return { is: "plan", plan: { ...base, constraints } };
}

const faulty = (why: string): ParsedFilter => ({ is: "faulty", why });

function normalizeRegistry(registry: string): string {
  const bare = registry.replace(/^https?:\/\//, "").replace(/\/+$/, "");
  return /^(index|registry-1)\.docker\.io$/.test(bare) ? "docker.io" : bare;
}

/** Whether a repository is meant: it fits, and is not left out by name. */
export const takesRepository = ({ repository, exclude }: FilterPlan, name: string): boolean =>
  matchesRepository(repository, name) && !exclude.includes(name);

/** The tags that will do. Where versions are asked for, a tag that is none is passed over. */
export function takenTags({ tags: wanted, constraints }: FilterPlan, tags: readonly string[]): string[] {
  if (wanted !== undefined) return tags.filter((tag) => wanted.includes(tag));
  if (constraints.length === 0) return tags.filter((tag) => tagForm.test(tag));
  return tags.filter((tag) => {
    const version = parseSemanticVersion(tag);
    return version !== undefined && constraints.every((constraint) => constraint(version));
  });
}

/** What a registry is asked for where it lists repositories: the part of the pattern before the first `*`. */
export const prefixOf = ({ repository }: FilterPlan): string => repository.split("*")[0] ?? "";
