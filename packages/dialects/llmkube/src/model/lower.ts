import type { PreparationFault, PreparationIntent, VolumeReport } from "@trivium/domain";
import { diagnoseMissingFile, formatDiagnosis } from "@trivium/engines";
import { assertNever, type Fact, parseQuantity, showUri } from "@trivium/std";
import { bucketTokens, modelPaths } from "../field-paths.ts";
import type { Model } from "../kinds/model.ts";
import type { LlmkubeOptions } from "../options.ts";
import type { ModelReason } from "../reasons.ts";
import { cacheKeyOf } from "../weights/cache-key.ts";
import { planFileSet } from "../weights/file-set.ts";
import { refusalOf } from "../weights/local-root.ts";
import { type Source, sourceOf } from "../weights/source.ts";
import type { ObservedModel } from "./observe.ts";
import { lowerRepository } from "./weights/lower-repository.ts";
import { refusedSource } from "./weights/refused-source.ts";
import { reportsOf } from "./weights/transfer.ts";

/** What is reported while nothing is wrong: where the weights will be found stays true. */
export interface Resolved {
  readonly reason: "ModelReady" | "PVCModelReady" | "RuntimeResolved" | "WorkloadResolved" | "MetalAgentManaged";
  readonly message: string;
  readonly place: ModelPlace;
}

/** Where the weights will be found. */
export interface ModelPlace {
  readonly path?: string;
  readonly cacheKey?: string;
  readonly bytes?: number | undefined;
  readonly digest?: string | undefined;
  readonly stagedFiles?: readonly string[];
}

/** What a source comes to, before pods report anything. */
export type LoweredSource =
  /** A fact is not there yet, so what was reported before stands. */
  | { readonly is: "unknown" }
  | { readonly is: "faulty"; readonly fault: PreparationFault<ModelReason> }
  | ({ readonly is: "found"; readonly resolved: Resolved } & Pick<
      PreparationIntent<ModelReason>,
      "source" | "volume" | "inspection"
    >);

export type LoweredModel =
  | { readonly is: "unknown" }
  | {
      readonly is: "intended";
      readonly intent: PreparationIntent<ModelReason>;
      readonly resolved?: Resolved | undefined;
    };

const faulty = (reason: ModelReason, message: string): LoweredSource => ({ is: "faulty", fault: { reason, message } });
const unknown = { is: "unknown" } as const;

export function lowerModel(model: Model, observed: ObservedModel, options: LlmkubeOptions): LoweredModel {
  const source = sourceOf(model.spec);
  const fault = faultOfSpec(model, source, options.localRoots);
  const lowered = fault ?? lowerSource(model, source, { observed, options });
  // A file of this machine is judged where it is.
  const fetches = source.is === "local" ? [] : observed.fetches;
  return intentOf(lowered, fetches, source.is === "bucket" ? { token: bucketTokens.model } : {});
}

function intentOf(
  lowered: LoweredSource,
  fetches: ObservedModel["fetches"],
  own: Partial<typeof modelPaths>,
): LoweredModel {
  const transfers = { reports: reportsOf(fetches), need: "any", otherwise: { is: "deferred" } } as const;
  const paths = { ...modelPaths, source: "spec.source", ...own };
  switch (lowered.is) {
    case "unknown":
      return unknown;
    case "faulty":
      return { is: "intended", intent: { fault: lowered.fault, transfers, paths } };
    case "found": {
      const { is: _, resolved, ...parts } = lowered;
      return { is: "intended", intent: { ...parts, transfers, paths }, resolved };
    }
  }
}

function faultOfSpec(model: Model, source: Source, localRoots: readonly string[]): LoweredSource | undefined {
  if (source.is === "faulty") return faulty("InvalidSource", source.why);
  const refusal = refusalOf(source, localRoots);
  if (refusal !== undefined) return faulty("SourceNotAllowed", refusal);
  const files = planFileSet(model.spec);
  if (files.is === "faulty") return faulty("InvalidFileSet", files.why);
  const isFolder = source.is === "repository" || (source.is === "bucket" && !source.isFile);
  if (files.is === "staged" && !isFolder) {
    return faulty(
      "InvalidFileSet",
      "spec.files and spec.mmproj require a repository; set spec.source to one, such as hf://org/repo, or remove them",
    );
  }
  if (source.is === "bucket" && isFolder && files.is === "none") {
    const way = "add the path of a file, or list the files below it in spec.files";
    return faulty("InvalidFileSet", `spec.source names no file of the bucket; ${way}`);
  }
  const bad = unreadableQuantity(model);
  return bad === undefined ? undefined : faulty("InvalidSpec", bad);
}

interface Context {
  readonly observed: ObservedModel;
  readonly options: LlmkubeOptions;
}

function lowerSource(model: Model, source: Source, { observed, options }: Context): LoweredSource {
  const cacheKey = cacheKeyOf(model.spec);
  switch (source.is) {
    case "claim":
      return lowerClaim(source, observed.claim ?? { is: "pending" }, cacheKey);
    case "remote":
      return lowerRemote(source, observed, { cacheKey, model });
    case "bucket":
      return lowerBucket(source, cacheKey);
    case "repository":
      return lowerRepository(model, source, { observed, cacheKey });
    case "local":
      return lowerLocal(model, source.path, { observed, cacheKey, use: useOf[options.localFiles] });
    case "faulty":
      return faulty("InvalidSource", source.why);
    default:
      return assertNever(source);
  }
}

function lowerClaim(
  source: Extract<Source, { is: "claim" }>,
  claim: NonNullable<ObservedModel["claim"]>,
  cacheKey: string,
): LoweredSource {
  const { claim: name, path } = source;
  if (claim.is === "pending" || claim.is === "unreachable") return unknown;
  const found = claim.is === "known" ? claim.value : undefined;
  const message =
    found?.phase === "Bound"
      ? `Pods read ${path} from PersistentVolumeClaim ${name}`
      : `PersistentVolumeClaim ${name} will be bound when the first pod uses it`;
  const volume: VolumeReport<ModelReason> = {
    claim: name,
    owner: "user",
    phase: (found?.phase ?? "missing") as VolumeReport["phase"],
    waitsForPod: found?.waitsForPod,
    missingClass: found?.missingClass,
    reasons: { missing: "PVCNotFound", lost: "PVCNotFound", unbound: "PVCNotBound" },
  };
  const place: ModelPlace = { path: `/model-source/${path}`, cacheKey };
  return { is: "found", resolved: { reason: "PVCModelReady", message, place }, volume };
}

/** What pods do with a file of this machine. */
const useOf: Readonly<Record<LlmkubeOptions["localFiles"], string>> = {
  copied: "each pod copies it",
  "read in place": "pods read it in place",
};

/** A source that does not respond to the operator may respond to pods. One that refuses is reported. */
function lowerRemote(
  source: Extract<Source, { is: "remote" }>,
  { head, header }: ObservedModel,
  { cacheKey, model }: { cacheKey: string; model: Model },
): LoweredSource {
  if (head === undefined || head.is === "pending" || header?.is === "pending") return unknown;
  const message = `Pods download ${showUri(source.url)} before the engine starts`;
  const bytes = head.is === "known" && "at" in head.value ? head.value.length : undefined;
  const resolved: Resolved = { reason: "WorkloadResolved", message, place: { cacheKey, bytes } };
  return { is: "found", resolved, source: refusedSource(head, { model, mayNeedToken: source.uri !== source.url }) };
}

/** Only pods have the credentials: what the bucket says is known when the first of them downloads. */
function lowerBucket({ uri }: Extract<Source, { is: "bucket" }>, cacheKey: string): LoweredSource {
  const message = `Pods download ${showUri(uri)} before the engine starts`;
  return { is: "found", resolved: { reason: "WorkloadResolved", message, place: { cacheKey } } };
}

function lowerLocal(
  model: Model,
  path: string,
  { observed, cacheKey, use }: { observed: ObservedModel; cacheKey: string; use: string },
): LoweredSource {
  if (model.spec.hardware?.accelerator === "metal") {
    const message = `The Metal agent reads ${path} on its own machine`;
    return { is: "found", resolved: { reason: "MetalAgentManaged", message, place: { path } } };
  }
  const { file = { is: "pending" }, digest = { is: "pending" } as Fact<string>, header } = observed;
  // The header names the file in the cache, so nothing is promised before it was read.
  if (file.is === "pending" || header?.is === "pending") return unknown;
  if (file.is === "absent") {
    const missing = { path, where: "the machine of the operator", field: "spec.source" };
    return faulty("CopyFailed", formatDiagnosis(diagnoseMissingFile(missing)));
  }
  if (file.is === "unreachable")
    return wasReady(model)
      ? unknown
      : faulty("CopyFailed", `${path} cannot be read: ${file.why}; correct its permissions, or change spec.source`);
  const { value } = file;
  if (value.is === "unreadable")
    return faulty("CopyFailed", `${path} cannot be read: ${value.why}; correct its permissions, or change spec.source`);
  if (value.is === "folder") {
    if (model.spec.format === "gguf")
      return faulty("CopyFailed", `${path} is a directory, but a GGUF model is a single file; change spec.source`);
    const resolved: Resolved = {
      reason: "ModelReady",
      message: `Directory ${path} found; ${use}`,
      place: { path, cacheKey },
    };
    return { is: "found", resolved };
  }
  const bytes = { path, cacheKey, bytes: value.bytes };
  return compareDigest(model, { place: bytes, use, digest, version: value.version });
}

interface Compared {
  readonly place: ModelPlace & { readonly path: string };
  readonly use: string;
  readonly digest: Fact<string>;
  readonly version: string;
}

/** With a digest to compare with, nothing is promised before the file was read to its end. */
function compareDigest(model: Model, { place, use, digest, version }: Compared): LoweredSource {
  const { path } = place;
  const wanted = model.spec.sha256?.toLowerCase();
  const found = digest.is === "known" ? digest.value : undefined;
  const resolved: Resolved = {
    reason: "ModelReady",
    message: `File ${path} found; ${use}`,
    place: { ...place, digest: found },
  };
  if (wanted === undefined || found === wanted) return { is: "found", resolved };
  if (found !== undefined)
    return faulty(
      "IntegrityCheckFailed",
      `${path} has SHA-256 ${found}, but spec.sha256 is ${wanted}; correct spec.sha256, or replace the file`,
    );
  // A digest that was found before holds as long as the file is the same; after a restart it is only asked again.
  const { status } = model;
  if (status?.sha256 === wanted && status.sourceETag === version) return unknown;
  if (digest.is === "unreachable") return faulty("CopyFailed", `${path} cannot be read completely: ${digest.why}`);
  const fault = { reason: "CopyStarted", message: `Verifying the SHA-256 of ${path}` } as const;
  return { is: "found", resolved, inspection: { of: "source", by: "the operator", state: "running", fault } };
}

/** Whether it was found to be well, as it is written now. */
const wasReady = ({ metadata, status }: Model): boolean =>
  status?.phase === "Ready" &&
  status.conditions?.find(({ type }) => type === "Available")?.observedGeneration === metadata.generation;

function unreadableQuantity({ spec }: Model): string | undefined {
  const quantities = {
    "spec.resources.cpu": spec.resources?.cpu,
    "spec.resources.memory": spec.resources?.memory,
    "spec.hardware.memoryBudget": spec.hardware?.memoryBudget,
    "spec.hardware.gpu.memory": spec.hardware?.gpu?.memory,
  };
  for (const [field, text] of Object.entries(quantities)) {
    if (typeof text === "string" && parseQuantity(text) === undefined)
      return `${field} "${text}" is not a valid quantity; set it to one such as 4Gi or 500m`;
  }
  const fraction = spec.hardware?.memoryFraction;
  if (typeof fraction === "number" && !(fraction > 0 && fraction <= 1))
    return `spec.hardware.memoryFraction ${fraction} must be greater than 0 and at most 1`;
  return undefined;
}
