import {
  type BrokenFile,
  type LocalFile,
  localDigest,
  localFile,
  type ModelHeader,
  modelHeader,
  type SourceHead,
  sourceHead,
} from "@trivium/domain";
import {
  type Kind,
  Node,
  PersistentVolumeClaim,
  Pod,
  ResourceClaim,
  ResourceClaimTemplate,
  StorageClass,
} from "@trivium/kube";
import type { Look } from "@trivium/reconcile";
import { absent, type Fact, known, parseQuantity, pending } from "@trivium/std";
import { type GpuResources, resourceOfAccelerator } from "../hardware/gpu-resource.ts";
import type { Model } from "../kinds/model.ts";
import { modelLabel } from "../names.ts";
import type { LlmkubeOptions } from "../options.ts";
import { headerPlaceOf } from "../weights/header-place.ts";
import { isAllowed } from "../weights/local-root.ts";
import { parseSource, type Source } from "../weights/source.ts";
import { refusalsOf } from "./refused-weights.ts";

/** What a Model hangs on: only what its kind of source needs is asked. */
export interface ModelSeen {
  readonly claim?: Fact<ClaimSeen>;
  /** The remote file as it is now. */
  readonly head?: Fact<SourceHead>;
  readonly header?: Fact<ModelHeader | BrokenFile>;
  readonly file?: Fact<LocalFile>;
  readonly digest?: Fact<string>;
  /** Whether some node, or the named claims, offer the accelerator. */
  readonly accelerator: Fact<boolean>;
  /** What pods found that fetched the weights and got others than `sha256` says, in their words. */
  readonly refusals: readonly string[];
}

export interface ClaimSeen {
  readonly phase: string;
  /** It is bound only when a pod uses it. */
  readonly waitsForPod: boolean;
}

export const modelReads = [
  PersistentVolumeClaim,
  StorageClass,
  Node,
  ResourceClaim,
  ResourceClaimTemplate,
  Pod,
] as const satisfies readonly Kind[];
type ModelLook = Look<(typeof modelReads)[number]>;

export function observeModel(model: Model, look: ModelLook, options: LlmkubeOptions): ModelSeen {
  const { localRoots, gpuResources } = options;
  const source = parseSource(model.spec.source);
  return {
    ...(isAllowed(source, localRoots) ? observeSource(model, source, look) : {}),
    accelerator: observeAccelerator(model, look, gpuResources),
    refusals: observeRefusals(model, look),
  };
}

type SourceSeen = Omit<ModelSeen, "accelerator" | "refusals">;

function observeSource(model: Model, source: Source, look: ModelLook): SourceSeen {
  switch (source.is) {
    case "claim":
      return { claim: observeClaim(model, source.claim, look) };
    case "remote":
      return observeRemote(model, source.url, look);
    case "repository":
      return observeHeader(model, undefined, look);
    case "local":
      return observeLocal(model, source.path, look);
    case "faulty":
      return {};
  }
}

function observeRemote(model: Model, url: string, look: ModelLook): SourceSeen {
  const head = look.ask(sourceHead, { url });
  if (head.is === "pending") return { head };
  return { head, ...observeHeader(model, head.is === "known" ? head.value.version : undefined, look) };
}

function observeHeader(model: Model, version: string | undefined, look: ModelLook): Pick<ModelSeen, "header"> {
  const place = headerPlaceOf(model, version);
  return place === undefined ? {} : { header: look.ask(modelHeader, place) };
}

function observeLocal(model: Model, path: string, look: ModelLook): SourceSeen {
  if (model.spec.hardware?.accelerator === "metal") return {};
  const file = look.ask(localFile, { path });
  if (file.is !== "known" || file.value.is !== "file") return { file };
  const { version } = file.value;
  return { file, digest: look.ask(localDigest, { path, version }), ...observeHeader(model, version, look) };
}

/** Only a digest that somebody wrote down can be refused. */
function observeRefusals({ metadata, spec }: Model, look: ModelLook): string[] {
  if (!spec.sha256) return [];
  const pods = look.list(Pod, { namespace: metadata.namespace, labels: { [modelLabel]: metadata.name ?? "" } });
  return refusalsOf(pods, spec.sha256.toLowerCase());
}

function observeClaim(model: Model, name: string, look: ModelLook): Fact<ClaimSeen> {
  const claim = look.get(PersistentVolumeClaim, { namespace: model.metadata.namespace, name });
  if (claim.is !== "known") return claim;
  const { spec, status } = claim.value;
  const className = spec?.storageClassName ?? "";
  const storage = className === "" ? absent : look.get(StorageClass, { name: className });
  const waitsForPod = storage.is === "known" && storage.value.volumeBindingMode === "WaitForFirstConsumer";
  return known({ phase: status?.phase ?? "Pending", waitsForPod });
}

function observeAccelerator(model: Model, look: ModelLook, gpuResources: GpuResources): Fact<boolean> {
  const claims = model.spec.hardware?.gpu?.resourceClaims ?? [];
  if (claims.length > 0) return observeDeviceClaims(model, claims, look);
  const resource = resourceOfAccelerator(model, gpuResources);
  if (resource === undefined) return known(true);
  const isThere = look
    .list(Node, {})
    .some(({ status }) => (parseQuantity(status?.capacity?.[resource] ?? "0")?.unscaled ?? 0n) > 0n);
  return known(isThere);
}

type DeviceClaim = NonNullable<
  NonNullable<NonNullable<NonNullable<Model["spec"]["hardware"]>["gpu"]>["resourceClaims"]>[number]
>;

function observeDeviceClaims(model: Model, claims: readonly DeviceClaim[], look: ModelLook): Fact<boolean> {
  const { namespace } = model.metadata;
  const facts = claims.map(({ resourceClaimName, resourceClaimTemplateName }) =>
    resourceClaimName
      ? look.get(ResourceClaim, { namespace, name: resourceClaimName })
      : look.get(ResourceClaimTemplate, { namespace, name: resourceClaimTemplateName ?? "" }),
  );
  if (facts.some(({ is }) => is === "pending")) return pending;
  return known(facts.every(({ is }) => is !== "absent"));
}
