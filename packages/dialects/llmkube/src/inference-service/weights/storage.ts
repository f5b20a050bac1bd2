import type { ClaimPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import { showUri } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import { sharedCacheName } from "../../names.ts";
import type { LlmkubeOptions } from "../../options.ts";
import { cacheKeyOf } from "../../weights/cache-key.ts";
import { fileNameOf } from "../../weights/file-name.ts";
import { type FileSet, planFileSet } from "../../weights/file-set.ts";
import { chooseFiles, type ListingFact, nameFiles } from "../../weights/repository-choice.ts";
import { type Source, sourceOf } from "../../weights/source.ts";
import { hostPathOf, weightsRequest } from "../../weights/weights-uri.ts";
import type { ObservedDeployment } from "../observed/deployment.ts";
import type { Engine, WeightsOrigin } from "../pod/engines/index.ts";
import {
  cachePreparation,
  certificateVolume,
  fetchContainer,
  verifyContainer,
  type WeightsRequest,
} from "./init-containers.ts";

/** How the weights come to the engine: what is mounted where, what runs before it, and what it is told. */
export interface StoragePlan {
  readonly volumes: readonly api.Volume[];
  readonly mounts: readonly api.VolumeMount[];
  readonly initContainers: readonly api.Container[];
  /** Path or repository for the engine. */
  readonly weights: string;
  readonly revision?: string | undefined;
  readonly projector?: string | undefined;
  /** Where the engine fetches the weights itself. */
  readonly origin?: WeightsOrigin;
  /** Where staged files lie. */
  readonly folder?: string;
  /** The cache that has to be there; nothing when none is used. */
  readonly cache?: CacheClaim;
}

/** `ours` is made when it is missing; `users` has to exist. */
export type CacheClaim =
  | { readonly is: "ours"; readonly plan: ClaimPlan }
  | { readonly is: "users"; readonly name: string };

export type StorageAnswer =
  | ({ readonly is: "planned" } & StoragePlan)
  | { readonly is: "faulty"; readonly reason: "InvalidSource" | "FilesNeeded" | "SourceHidden"; readonly why: string }
  /** The hub has not answered. */
  | { readonly is: "waiting"; readonly why: string };

export interface StorageInput {
  readonly service: InferenceService;
  readonly model: Model;
  readonly engine: Engine;
  readonly options: LlmkubeOptions;
  /** What the repository has, where that was asked. */
  readonly listing?: ListingFact | undefined;
  /** The name that the file has where it is served already: it stays, so that nothing starts anew for a name. */
  readonly served?: ObservedDeployment["file"];
  /** Goes in front of names and mount paths: two Models in one pod must not meet. */
  readonly prefix?: string;
}

export function planStorage(input: StorageInput): StorageAnswer {
  const way = wayOf(input);
  return way.is === "fetched" ? { is: "planned", ...fetched(input, way.source) } : way;
}

/** The claim that caches the weights; nothing where they are not downloaded, or not kept. */
export const cacheClaimOf = (input: StorageInput): CacheClaim | undefined =>
  wayOf(input).is === "fetched" ? cacheOf(input) : undefined;

/** Whether init containers download the weights; otherwise the whole plan. */
function wayOf(input: StorageInput): StorageAnswer | { readonly is: "fetched"; readonly source: Source } {
  const { service, model, engine } = input;
  const source = sourceOf(model.spec);
  if (source.is === "faulty") return { is: "faulty", reason: "InvalidSource", why: source.why };
  if (engine.takes === "nothing") return { is: "planned", ...nothing(model.spec.source) };
  if (source.is === "claim") return { is: "planned", ...onClaim(input, source) };
  const isWhole = source.is === "repository" && planFileSet(model.spec).is === "none";
  if (source.is === "repository" && (isWhole || engine.takes === "repository")) {
    if (engine.takes !== "file") return { is: "planned", ...nothing(source.repository), revision: source.revision };
    const isChosen = stagedFilesOf(model).is === "staged";
    if (service.spec.skipModelInit !== true && !isChosen) return filesNeeded(input, source);
  }
  if (service.spec.skipModelInit === true) return fetchedByEngine(input, source);
  if (source.is === "local" && isReadInPlace(input)) return { is: "planned", ...onHost(input, source) };
  return { is: "fetched", source };
}

const nothing = (weights: string): StoragePlan => ({ volumes: [], mounts: [], initContainers: [], weights });

/** Without a container that fetches, the engine has to: llama.cpp knows repositories and addresses, others only repositories. */
function fetchedByEngine(
  { model, engine }: StorageInput,
  source: Exclude<Source, { is: "claim" | "faulty" }>,
): StorageAnswer {
  if (source.is === "local") return { is: "planned", ...nothing(source.path) };
  if (engine.takes === "file" && source.is !== "bucket")
    return { is: "planned", ...nothing(""), origin: originOf(model, source) };
  if (source.is === "repository") return { is: "planned", ...nothing(source.repository), revision: source.revision };
  const address = source.is === "bucket" ? source.uri : source.url;
  const why = `${engine.container} cannot download ${showUri(address)} itself; remove spec.skipModelInit, or set spec.source of Model ${model.metadata.name} to a repository`;
  return { is: "faulty", reason: "InvalidSource", why };
}

/** llama.cpp takes no revision of a repository, so a file at one is an address. */
function originOf({ spec }: Model, source: Extract<Source, { is: "remote" | "repository" }>): WeightsOrigin {
  if (source.is === "remote") return { is: "address", url: source.url };
  const { repository, revision } = source;
  const [file] = spec.files ?? [];
  if (revision === undefined || file === undefined) return { is: "repository", repository, file };
  return { is: "address", url: `https://huggingface.co/${repository}/resolve/${revision}/${file}` };
}

function filesNeeded({ model, listing }: StorageInput, { repository }: { repository: string }): StorageAnswer {
  if (listing?.is === "known" && "refused" in listing.value) {
    const way = `correct spec.source of Model ${model.metadata.name}; for a private repository, set spec.files and add HF_TOKEN from a Secret to spec.env`;
    return { is: "faulty", reason: "SourceHidden", why: `${listing.value.why}; ${way}` };
  }
  if (listing?.is === "pending") return { is: "waiting", why: `Listing the files of ${repository}` };
  if (listing?.is === "unreachable") {
    const why = `Cannot list the files of ${repository}: ${listing.why}; retrying automatically, or set spec.files of Model ${model.metadata.name}`;
    return { is: "waiting", why };
  }
  const choice = chooseFiles(model, listing);
  const has = choice.is === "several" ? `, which has ${nameFiles(choice.candidates)}` : "";
  const why = `llama.cpp needs one GGUF file of ${repository}${has}; set spec.files of Model ${model.metadata.name}`;
  return { is: "faulty", reason: "FilesNeeded", why };
}

/** As written; else as the Model found the one file of its repository. */
export function stagedFilesOf({ spec, status }: Model): FileSet {
  const written = planFileSet(spec);
  const isCurrent = status?.cacheKey === cacheKeyOf(spec);
  return written.is === "none" && isCurrent ? planFileSet({ files: status?.stagedFiles }) : written;
}

/** The claim has the weights already; they are read where they lie. */
const onClaim = (input: StorageInput, { claim, path }: { claim: string; path: string }): StoragePlan =>
  inPlace(input, { volume: { persistentVolumeClaim: { claimName: claim, readOnly: true } }, path });

/** So has the disk of the node. The folder is mounted, not the file: a model may be in several files. */
function onHost(input: StorageInput, { path }: { path: string }): StoragePlan {
  const slash = path.lastIndexOf("/");
  const volume = { hostPath: { path: path.slice(0, slash) || "/", type: "Directory" } } as const;
  return inPlace(input, { volume, path: path.slice(slash + 1) });
}

const isReadInPlace = ({ options, model }: StorageInput): boolean =>
  options.localFiles === "read in place" && planFileSet(model.spec).is === "none";

interface Place {
  readonly volume: Omit<api.Volume, "name">;
  /** Below the root of the volume. */
  readonly path: string;
}

function inPlace({ model, options, prefix = "" }: StorageInput, { volume, path }: Place): StoragePlan {
  const name = `${prefix}model-source`;
  const at = `${prefix === "" ? "" : `/${prefix.replace(/-$/, "")}`}/model-source`;
  const mount: api.VolumeMount = { name, mountPath: at, readOnly: true };
  const { sha256 } = model.spec;
  return {
    volumes: [{ name, ...volume }],
    mounts: [mount],
    initContainers: sha256
      ? [verifyContainer({ options, name: `${prefix}model-verifier`, mount, file: `${at}/${path}`, sha256 })]
      : [],
    weights: `${at}/${path}`,
  };
}

function fetched(input: StorageInput, source: Source): StoragePlan {
  const { service, model, engine, options, served, prefix = "" } = input;
  const cache = cacheOf(input);
  // In the cache every source has a folder of its own, so one mount serves all.
  const root = cache === undefined && prefix !== "" ? `/${prefix.replace(/-$/, "")}/models` : "/models";
  const folder =
    cache === undefined
      ? `${root}/${service.metadata.namespace}-${model.metadata.name}`
      : `${root}/${cacheKeyOf(model.spec)}`;
  const name = cache === undefined ? `${prefix}model-storage` : "model-cache";
  const volume: api.Volume =
    cache === undefined
      ? { name, emptyDir: emptyDirOf(service) }
      : { name, persistentVolumeClaim: { claimName: claimNameOf(cache) } };
  const files = stagedFilesOf(model);
  const file = files.is === "staged" ? undefined : served?.folder === folder ? served.name : nameOf(model);
  const request: WeightsRequest = {
    ...weightsRequest(model, files),
    ...hostMountOf(source, prefix),
    folder,
    file,
    store: `${root}/.trivium`,
    mount: { name, mountPath: root },
  };
  const prepares = cache !== undefined && options.cache.preparation === "chown";
  const primary = files.is === "staged" ? files.primary : file;
  const projector = files.is === "staged" ? files.projector : undefined;
  return {
    volumes: [volume, ...hostVolume(source, prefix), ...certificateVolume(options)],
    mounts: [{ name, mountPath: root, readOnly: true }],
    initContainers: [
      ...(prepares && prefix === "" ? [cachePreparation(options, service, request.mount)] : []),
      fetchContainer({ name: `${prefix}model-downloader`, options, service, model, request }),
    ],
    weights: engine.takes === "folder" && model.spec.format !== "gguf" ? folder : `${folder}/${primary}`,
    ...(projector === undefined ? {} : { projector: `${folder}/${projector}` }),
    folder,
    ...(cache === undefined ? {} : { cache }),
  };
}

const nameOf = ({ metadata, spec, status }: Model): string =>
  fileNameOf({ header: status?.gguf?.modelName, source: spec.source, model: metadata.name ?? "" });

function hostMountOf(source: Source, prefix: string): Pick<WeightsRequest, "hostMount"> {
  if (source.is !== "local") return {};
  return { hostMount: { name: `${prefix}host-model`, mountPath: hostPathOf(source), readOnly: true } };
}

const hostVolume = (source: Source, prefix: string): api.Volume[] =>
  source.is === "local" ? [{ name: `${prefix}host-model`, hostPath: { path: source.path } }] : [];

function emptyDirOf({ spec }: InferenceService): api.EmptyDirVolumeSource {
  const sizeLimit = spec.resources?.ephemeralStorage;
  return spec.modelCache?.persistence === "Ephemeral" && sizeLimit ? { sizeLimit } : {};
}

export const claimNameOf = (cache: CacheClaim): string => (cache.is === "ours" ? cache.plan.name : cache.name);

export const cacheLabels = {
  "app.kubernetes.io/name": "llmkube",
  "app.kubernetes.io/component": "model-cache",
  "app.kubernetes.io/managed-by": "llmkube-controller",
};

/** One place decides whether a cache is used, mounted and made. */
function cacheOf({ service, options }: StorageInput): CacheClaim | undefined {
  const { persistence = "Cached", claimName } = service.spec.modelCache ?? {};
  if (persistence === "Ephemeral") return undefined;
  if (claimName) return { is: "users", name: claimName };
  const { mode, size, accessMode, storageClass } = options.cache;
  if (mode === "none") return undefined;
  const isShared = mode === "shared";
  const plan: ClaimPlan = {
    name: isShared ? sharedCacheName : `${service.metadata.name}-model-cache`,
    labels: cacheLabels,
    size,
    accessMode: isShared ? accessMode : "ReadWriteOnce",
    storageClass,
    life: isShared ? "shared" : "owned",
  };
  return { is: "ours", plan };
}
