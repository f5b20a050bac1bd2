import { assertNever, type Fact, parseQuantity } from "@trivium/std";
import type { Model } from "../kinds/model.ts";
import type { LlmkubeOptions } from "../options.ts";
import type { ModelReason } from "../reasons.ts";
import { cacheKeyOf } from "../weights/cache-key.ts";
import { planFileSet } from "../weights/file-set.ts";
import { isAllowed } from "../weights/local-root.ts";
import { parseSource, type Source, withoutSecrets } from "../weights/source.ts";
import type { ObservedModel } from "./observe.ts";
import { lowerRepository } from "./weights/lower-repository.ts";
import { refusedSource } from "./weights/refused-source.ts";
import { followPods } from "./weights/transfer.ts";

/** What can be said of a Model now. */
export type ModelOutcome =
  | {
      readonly is: "ready";
      readonly reason: "ModelReady" | "PVCModelReady" | "RuntimeResolved" | "WorkloadResolved" | "MetalAgentManaged";
      readonly message: string;
      readonly place: ModelPlace;
    }
  | {
      readonly is: "waiting";
      readonly phase: "Pending" | "Copying" | "Downloading";
      readonly reason: ModelReason;
      readonly message: string;
      /** What the Event reports, where the message changes with every percent. */
      readonly event?: string;
      readonly resolved?: Resolved;
    }
  | { readonly is: "failed"; readonly reason: ModelReason; readonly message: string; readonly resolved?: Resolved }
  /** A fact has not come yet, so what was said before stands. */
  | { readonly is: "unknown" };

/** What is said as long as nothing is known to be wrong: where the weights will be found stays true. */
type Resolved = Extract<ModelOutcome, { is: "ready" }>;

/** Where the weights will be found. */
export interface ModelPlace {
  readonly path?: string;
  readonly cacheKey?: string;
  readonly bytes?: number | undefined;
  readonly digest?: string | undefined;
  readonly stagedFiles?: readonly string[];
}

const failed = (reason: ModelReason, message: string): ModelOutcome => ({ is: "failed", reason, message });
const unknown: ModelOutcome = { is: "unknown" };

export function lowerModel(model: Model, observed: ObservedModel, { localRoots }: LlmkubeOptions): ModelOutcome {
  const source = parseSource(model.spec.source);
  if (source.is === "faulty") return failed("InvalidSource", source.why);
  if (!isAllowed(source, localRoots)) return failed("SourceNotAllowed", refusalOf(source, localRoots));
  const files = planFileSet(model.spec);
  if (files.is === "faulty") return failed("InvalidFileSet", files.why);
  if (files.is === "staged" && source.is !== "repository") {
    return failed(
      "InvalidFileSet",
      "spec.files and spec.mmproj require a repository; set spec.source to one, such as hf://org/repo, or remove them",
    );
  }
  const bad = unreadableQuantity(model);
  if (bad !== undefined) return failed("InvalidSpec", bad);
  const outcome = lowerSource(model, source, observed);
  // A file of this machine is judged where it lies.
  return source.is === "local" ? outcome : heardOf(outcome, observed);
}

/** Pods that reach the source know more than whoever only looked at it. */
function heardOf(outcome: ModelOutcome, { fetches }: ObservedModel): ModelOutcome {
  if (outcome.is === "ready") return followPods(outcome, fetches);
  if (!("resolved" in outcome) || outcome.resolved === undefined) return outcome;
  const heard = followPods(outcome.resolved, fetches);
  return heard === outcome.resolved ? outcome : heard;
}

function lowerSource(model: Model, source: Source, observed: ObservedModel): ModelOutcome {
  const cacheKey = cacheKeyOf(model.spec.source);
  switch (source.is) {
    case "claim":
      return lowerClaim(source, observed.claim ?? { is: "pending" }, cacheKey);
    case "remote":
      return lowerRemote(source, observed, { cacheKey, model });
    case "repository":
      return lowerRepository(model, source, { observed, cacheKey });
    case "local":
      return lowerLocal(model, source.path, { observed, cacheKey });
    case "faulty":
      return failed("InvalidSource", source.why);
    default:
      return assertNever(source);
  }
}

function lowerClaim(
  source: Extract<Source, { is: "claim" }>,
  claim: NonNullable<ObservedModel["claim"]>,
  cacheKey: string,
): ModelOutcome {
  const { claim: name, path } = source;
  if (claim.is === "pending" || claim.is === "unreachable") return unknown;
  if (claim.is === "absent") {
    return failed(
      "PVCNotFound",
      `PersistentVolumeClaim ${name} not found in this namespace; create it, or change spec.source`,
    );
  }
  const { phase, waitsForPod, missingClass } = claim.value;
  if (phase === "Lost")
    return failed(
      "PVCNotFound",
      `PersistentVolumeClaim ${name} has lost its volume; create it again, or change spec.source`,
    );
  const place: ModelPlace = { path: `/model-source/${path}`, cacheKey };
  const ready = (message: string): ModelOutcome => ({ is: "ready", reason: "PVCModelReady", message, place });
  if (phase === "Bound") return ready(`Pods read ${path} from PersistentVolumeClaim ${name}`);
  if (waitsForPod) return ready(`PersistentVolumeClaim ${name} will be bound when the first pod uses it`);
  if (missingClass !== undefined) {
    const cause = `PersistentVolumeClaim ${name} has no volume: StorageClass ${missingClass} not found`;
    const remedy = `create the StorageClass or a PersistentVolume of that class, or create the claim again with another class`;
    return failed("PVCNotBound", `${cause}; ${remedy}`);
  }
  const message = `Waiting for PersistentVolumeClaim ${name} to be bound (${phase})`;
  return { is: "waiting", phase: "Pending", reason: "PVCNotBound", message };
}

/** A source that does not answer the operator may answer pods. One that refuses has said it. */
function lowerRemote(
  source: Extract<Source, { is: "remote" }>,
  { head, header }: ObservedModel,
  { cacheKey, model }: { cacheKey: string; model: Model },
): ModelOutcome {
  if (head === undefined || head.is === "pending" || header?.is === "pending") return unknown;
  const message = `Pods download ${withoutSecrets(source.url)} before the engine starts`;
  const bytes = head.is === "known" && "at" in head.value ? head.value.length : undefined;
  const ready: Resolved = { is: "ready", reason: "WorkloadResolved", message, place: { cacheKey, bytes } };
  return refusedSource(head, { model, resolved: ready, mayNeedToken: source.uri !== source.url }) ?? ready;
}

function lowerLocal(
  model: Model,
  path: string,
  { observed, cacheKey }: { observed: ObservedModel; cacheKey: string },
): ModelOutcome {
  if (model.spec.hardware?.accelerator === "metal") {
    const message = `The Metal agent reads ${path} on its own machine`;
    return { is: "ready", reason: "MetalAgentManaged", message, place: { path } };
  }
  const { file = { is: "pending" }, digest = { is: "pending" } as Fact<string>, header } = observed;
  // The header names the file in the cache, so nothing is promised before it was read.
  if (file.is === "pending" || header?.is === "pending") return unknown;
  if (file.is === "absent") {
    const way = "create it (checked every 5m), or change spec.source";
    return failed("CopyFailed", `${path} not found on the machine of the operator; ${way}`);
  }
  if (file.is === "unreachable")
    return wasReady(model)
      ? unknown
      : failed("CopyFailed", `${path} cannot be read: ${file.why}; correct its permissions, or change spec.source`);
  const { value } = file;
  if (value.is === "unreadable")
    return failed("CopyFailed", `${path} cannot be read: ${value.why}; correct its permissions, or change spec.source`);
  if (value.is === "folder") {
    if (model.spec.format === "gguf")
      return failed("CopyFailed", `${path} is a directory, but a GGUF model is a single file; change spec.source`);
    return { is: "ready", reason: "ModelReady", message: `Pods copy the directory ${path}`, place: { path, cacheKey } };
  }
  const bytes = { path, cacheKey, bytes: value.bytes };
  return compareDigest(model, { place: bytes, digest, version: value.version });
}

interface Compared {
  readonly place: ModelPlace & { readonly path: string };
  readonly digest: Fact<string>;
  readonly version: string;
}

/** With a digest to compare with, nothing is promised before the file was read to its end. */
function compareDigest(model: Model, { place, digest, version }: Compared): ModelOutcome {
  const { path } = place;
  const wanted = model.spec.sha256?.toLowerCase();
  const found = digest.is === "known" ? digest.value : undefined;
  const ready: ModelOutcome = {
    is: "ready",
    reason: "ModelReady",
    message: `Pods copy ${path}`,
    place: { ...place, digest: found },
  };
  if (wanted === undefined || found === wanted) return ready;
  if (found !== undefined)
    return failed(
      "IntegrityCheckFailed",
      `${path} has SHA-256 ${found}, but spec.sha256 is ${wanted}; correct spec.sha256, or replace the file`,
    );
  // A digest that was found before holds as long as the file is the same; after a restart it is only asked again.
  const { status } = model;
  if (status?.sha256 === wanted && status.sourceETag === version) return unknown;
  if (digest.is === "unreachable") return failed("CopyFailed", `${path} cannot be read completely: ${digest.why}`);
  const message = `Verifying the SHA-256 of ${path}`;
  return { is: "waiting", phase: "Copying", reason: "CopyStarted", message };
}

/** Whether it was found to be well, as it is written now. */
const wasReady = ({ metadata, status }: Model): boolean =>
  status?.phase === "Ready" &&
  status.conditions?.find(({ type }) => type === "Available")?.observedGeneration === metadata.generation;

function refusalOf(source: Source, roots: readonly string[]): string {
  const path = source.is === "local" ? source.path : "";
  const allowed = roots.length === 0 ? "the operator allows no local directory" : `allowed: ${roots.join(", ")}`;
  return `${path} is not in a directory that the operator allows (${allowed}); add the directory to --allowed-host-path-roots of the operator (on a single machine: folders in trivium.yaml)`;
}

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
