import type { RepositoryListing, SourceRefusal } from "@trivium/domain";
import type { Fact } from "@trivium/std";
import type { Model } from "../kinds/model.ts";
import { type FileSet, planFileSet } from "./file-set.ts";

export type ListingFact = Fact<RepositoryListing | SourceRefusal>;

/** Which files of a repository a GGUF engine is started with: as written, or the one that there is. */
export type RepositoryChoice =
  | { readonly is: "files"; readonly files: FileSet }
  /** Several could be meant. */
  | { readonly is: "several"; readonly candidates: readonly string[] }
  /** The list of the repository does not have a file that is written. */
  | { readonly is: "missing"; readonly file: string; readonly candidates: readonly string[] };

export function chooseFiles({ spec }: Model, listing: ListingFact | undefined): RepositoryChoice {
  const written = planFileSet(spec);
  const names = listing?.is === "known" && "files" in listing.value ? listing.value.files.map(({ path }) => path) : [];
  if (names.length === 0 || written.is === "faulty") return { is: "files", files: written };
  const candidates = ggufFiles(names);
  if (written.is === "staged") {
    const file = written.files.find((one) => !names.includes(one));
    return file === undefined ? { is: "files", files: written } : { is: "missing", file, candidates };
  }
  const meant = candidates.length > 1 ? ofQuantization(candidates, spec.quantization) : candidates;
  const [only, ...more] = meant;
  if (only === undefined) return { is: "files", files: written };
  if (more.length > 0) return { is: "several", candidates };
  return { is: "files", files: planFileSet({ files: [only] }) };
}

/** Projectors and draft heads are no models by themselves, and of a split model the first part stands for all. */
function ggufFiles(names: readonly string[]): string[] {
  return names.filter((name) => {
    const last = name.split("/").at(-1) ?? "";
    const part = /-(\d{5})-of-\d{5}\.gguf$/i.exec(last)?.[1];
    return /\.gguf$/i.test(last) && !/^(?:mmproj|mtp)[-.]/i.test(last) && (part === undefined || Number(part) === 1);
  });
}

/** The label that was written for people chooses, where one file alone carries it. */
function ofQuantization(candidates: readonly string[], label: string | null | undefined): readonly string[] {
  if (!label) return candidates;
  const named = candidates.filter((name) => name.toUpperCase().includes(label.toUpperCase()));
  return named.length === 1 ? named : candidates;
}

const longest = 8;

export function nameFiles(files: readonly string[]): string {
  const more = files.length - longest;
  return `${files.slice(0, longest).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
