import {
  type BrokenFile,
  type HeaderPlace,
  type LocalFile,
  localDigest,
  localFile,
  type ModelHeader,
  modelHeader,
  repositoryFiles,
  type SourceHead,
  type SourceRefusal,
  sourceHead,
} from "@trivium/domain";
import { nodeHardware, type ObservedVolume, observeVolume, volumeReads } from "@trivium/engines";
import { type Kind, Node, Pod, ResourceClaim, ResourceClaimTemplate } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, formatHubUri, known, parseQuantity, pending } from "@trivium/std";
import { type GpuResources, resourceOfAccelerator } from "../hardware/gpu-resource.ts";
import type { Model } from "../kinds/model.ts";
import type { LlmkubeOptions } from "../options.ts";
import { type FileSet, planFileSet } from "../weights/file-set.ts";
import { headerPlaceOf } from "../weights/header-place.ts";
import { isAllowed } from "../weights/local-root.ts";
import { chooseFiles, type ListingFact } from "../weights/repository-choice.ts";
import { type Source, sourceOf } from "../weights/source.ts";
import { type ObservedFetch, observeFetches } from "./observed/pod-fetches.ts";

/** What a Model hangs on: only what its kind of source needs is asked. */
export interface ObservedModel {
  readonly claim?: Fact<ObservedVolume>;
  /** The remote file as it is now. */
  readonly head?: Fact<SourceHead | SourceRefusal>;
  /** What the repository has. */
  readonly listing?: ListingFact;
  readonly header?: Fact<ModelHeader | BrokenFile>;
  readonly file?: Fact<LocalFile>;
  readonly digest?: Fact<string>;
  /** Whether some node, or the named claims, offer the accelerator. */
  readonly accelerator: Fact<boolean>;
  /** What the budget of the shared cache decided for its weights, where there is one. */
  readonly cache?: NonNullable<NonNullable<Model["status"]>["cache"]>;
  /** What came of the downloads of pods that use it. */
  readonly fetches: readonly ObservedFetch[];
}

export const modelReads = [
  ...volumeReads,
  Node,
  ResourceClaim,
  ResourceClaimTemplate,
  Pod,
] as const satisfies readonly Kind[];
type ModelReader = Reader<(typeof modelReads)[number]>;

export function observeModel(model: Model, reader: ModelReader, options: LlmkubeOptions): ObservedModel {
  const { localRoots, gpuResources } = options;
  const source = sourceOf(model.spec);
  return {
    ...(isAllowed(source, localRoots) ? observeSource(model, source, reader) : {}),
    accelerator: observeAccelerator(model, reader, gpuResources),
    ...(model.status?.cache ? { cache: model.status.cache } : {}),
    fetches: observeFetches(model, filesOf(model, source, reader), reader),
  };
}

/** Asked twice in one look, a question is asked once. */
function filesOf(model: Model, source: Source, reader: ModelReader): FileSet {
  const choice = chooseFiles(model, source.is === "repository" ? observeListing(model, source, reader) : undefined);
  return choice.is === "files" ? choice.files : planFileSet(model.spec);
}

type ObservedSource = Omit<ObservedModel, "accelerator" | "fetches" | "cache">;

function observeSource(model: Model, source: Source, reader: ModelReader): ObservedSource {
  switch (source.is) {
    case "claim":
      return { claim: observeVolume({ namespace: model.metadata.namespace, name: source.claim }, reader) };
    case "remote":
      return observeRemote(model, source.uri, reader);
    case "repository":
      return observeRepository(model, source, reader);
    case "local":
      return observeLocal(model, source.path, reader);
    case "bucket":
    case "faulty":
      return {};
  }
}

function observeRemote(model: Model, url: string, reader: ModelReader): ObservedSource {
  const head = reader.ask(sourceHead, { url });
  if (head.is === "pending" || (head.is === "known" && "refused" in head.value)) return { head };
  const version = head.is === "known" && "at" in head.value ? head.value.version : undefined;
  return { head, ...observeHeader(headerPlaceOf(model, version), reader) };
}

function observeRepository(model: Model, source: Repository, reader: ModelReader): ObservedSource {
  const listing = observeListing(model, source, reader);
  if (listing === undefined) return {};
  if (listing.is === "pending") return { listing };
  return { listing, ...observeHeader(headerPlaceOf(model, undefined, filesOf(model, source, reader)), reader) };
}

type Repository = Extract<Source, { is: "repository" }>;

/** Only GGUF engines take one file; the others, and Macs, get the repository as it is. */
function observeListing({ spec }: Model, source: Repository, reader: ModelReader): ListingFact | undefined {
  if (spec.format !== "gguf" || spec.hardware?.accelerator === "metal") return undefined;
  return reader.ask(repositoryFiles, { uri: formatHubUri({ repo: source.repository, revision: source.revision }) });
}

function observeHeader(place: HeaderPlace | undefined, reader: ModelReader): Pick<ObservedModel, "header"> {
  return place === undefined ? {} : { header: reader.ask(modelHeader, place) };
}

function observeLocal(model: Model, path: string, reader: ModelReader): ObservedSource {
  if (model.spec.hardware?.accelerator === "metal") return {};
  const file = reader.ask(localFile, { path });
  if (file.is !== "known" || file.value.is !== "file") return { file };
  const { version } = file.value;
  return {
    file,
    digest: reader.ask(localDigest, { path, version }),
    ...observeHeader(headerPlaceOf(model, version), reader),
  };
}

function observeAccelerator(model: Model, reader: ModelReader, gpuResources: GpuResources): Fact<boolean> {
  const claims = model.spec.hardware?.gpu?.resourceClaims ?? [];
  if (claims.length > 0) return observeDeviceClaims(model, claims, reader);
  const resource = resourceOfAccelerator(model, gpuResources);
  if (resource === undefined) return known(true);
  const isThere = reader
    .listParts(Node, {}, nodeHardware)
    .some(({ status }) => (parseQuantity(status?.capacity?.[resource] ?? "0")?.unscaled ?? 0n) > 0n);
  return known(isThere);
}

type DeviceClaim = NonNullable<
  NonNullable<NonNullable<NonNullable<Model["spec"]["hardware"]>["gpu"]>["resourceClaims"]>[number]
>;

function observeDeviceClaims(model: Model, claims: readonly DeviceClaim[], reader: ModelReader): Fact<boolean> {
  const { namespace } = model.metadata;
  const facts = claims.map(({ resourceClaimName, resourceClaimTemplateName }) =>
    resourceClaimName
      ? reader.get(ResourceClaim, { namespace, name: resourceClaimName })
      : reader.get(ResourceClaimTemplate, { namespace, name: resourceClaimTemplateName ?? "" }),
  );
  if (facts.some(({ is }) => is === "pending")) return pending;
  return known(facts.every(({ is }) => is !== "absent"));
}
