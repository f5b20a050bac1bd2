import type { RepositoryListing } from "@trivium/domain";
import type { Model } from "../../kinds/model.ts";
import { chooseFiles, nameFiles } from "../../weights/repository-choice.ts";
import type { Source } from "../../weights/source.ts";
import type { LoweredSource, Resolved } from "../lower.ts";
import type { ObservedModel } from "../observe.ts";
import { refusedSource } from "./refused-source.ts";

type Repository = Extract<Source, { is: "repository" }>;

/** Engines fetch a repository themselves; files of it are fetched before they start. */
export function lowerRepository(
  model: Model,
  { repository }: Repository,
  { observed, cacheKey }: { observed: ObservedModel; cacheKey: string },
): LoweredSource {
  const { listing, header } = observed;
  if (listing?.is === "pending" || header?.is === "pending") return { is: "unknown" };
  const choice = chooseFiles(model, listing);
  if (choice.is === "missing") {
    const has = choice.candidates.length === 0 ? "no GGUF file" : nameFiles(choice.candidates);
    const message = `${repository} has no file ${choice.file}; it has ${has}; correct spec.files`;
    return { is: "faulty", fault: { reason: "InvalidFileSet", message } };
  }
  const resolved = resolvedOf(repository, choice.is === "files" ? choice.files : { is: "none" }, {
    observed,
    cacheKey,
  });
  return { is: "found", resolved, source: listing && refusedSource(listing, { model, mayNeedToken: true }) };
}

function resolvedOf(
  repository: string,
  files: Extract<ReturnType<typeof chooseFiles>, { is: "files" }>["files"],
  { observed, cacheKey }: { observed: ObservedModel; cacheKey: string },
): Resolved {
  const message = `The engine downloads ${repository} when it starts`;
  if (files.is !== "staged") return { reason: "RuntimeResolved", message, place: {} };
  const what = files.files.length === 1 ? files.primary : `${files.files.length} files`;
  return {
    reason: "RuntimeResolved",
    message: `Pods download ${what} of ${repository} before the engine starts`,
    place: { cacheKey, stagedFiles: files.files, bytes: bytesOf(files.files, observed) },
  };
}

/** The size of all files together, where the repository says each. */
function bytesOf(names: readonly string[], { listing }: ObservedModel): number | undefined {
  if (listing?.is !== "known" || !("files" in listing.value)) return undefined;
  const { files } = listing.value as RepositoryListing;
  const sizes = names.map((name) => files.find(({ path }) => path === name)?.bytes);
  return sizes.some((bytes) => bytes === undefined)
    ? undefined
    : sizes.reduce<number>((sum, each) => sum + (each ?? 0), 0);
}
