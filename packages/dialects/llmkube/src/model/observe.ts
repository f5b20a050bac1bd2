import {
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
  ResourceClaim,
  ResourceClaimTemplate,
  StorageClass,
} from "@trivium/kube";
import type { Look } from "@trivium/reconcile";
import { absent, type Fact, known, parseQuantity, pending } from "@trivium/std";
import { resourceOfAccelerator } from "../hardware/gpu-resource.ts";
import type { Model } from "../kinds/model.ts";
import { headerUriOf } from "../weights/header-uri.ts";
import { isAllowed } from "../weights/local-root.ts";
import { parseSource, type Source } from "../weights/source.ts";

/** What a Model hangs on: only what its kind of source needs is asked. */
export interface ModelSeen {
  readonly claim?: Fact<ClaimSeen>;
  /** The remote file as it is now. */
  readonly head?: Fact<SourceHead>;
  readonly header?: Fact<ModelHeader>;
  readonly file?: Fact<LocalFile>;
  readonly digest?: Fact<string>;
  /** Whether some node, or the named claims, offer the accelerator. */
  readonly accelerator: Fact<boolean>;
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
] as const satisfies readonly Kind[];
type ModelLook = Look<(typeof modelReads)[number]>;

export function observeModel(model: Model, look: ModelLook, localRoots: readonly string[]): ModelSeen {
  const source = parseSource(model.spec.source);
  return {
    ...(isAllowed(source, localRoots) ? observeSource(model, source, look) : {}),
    accelerator: observeAccelerator(model, look),
  };
}

function observeSource(model: Model, source: Source, look: ModelLook): Omit<ModelSeen, "accelerator"> {
  switch (source.is) {
    case "claim":
      return { claim: observeClaim(model, source.claim, look) };
    case "remote":
      return { head: look.ask(sourceHead, { url: source.url }), ...observeHeader(model, look) };
    case "repository":
      return observeHeader(model, look);
    case "local":
      return observeLocal(model, source.path, look);
    case "faulty":
      return {};
  }
}

function observeHeader(model: Model, look: ModelLook): Pick<ModelSeen, "header"> {
  const uri = headerUriOf(model);
  return uri === undefined ? {} : { header: look.ask(modelHeader, { uri }) };
}

function observeLocal(model: Model, path: string, look: ModelLook): Omit<ModelSeen, "accelerator"> {
  if (model.spec.hardware?.accelerator === "metal") return {};
  const file = look.ask(localFile, { path });
  if (file.is !== "known" || file.value.is !== "file") return { file };
  const { version } = file.value;
  return { file, digest: look.ask(localDigest, { path, version }), ...observeHeader(model, look) };
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

function observeAccelerator(model: Model, look: ModelLook): Fact<boolean> {
  const claims = model.spec.hardware?.gpu?.resourceClaims ?? [];
  if (claims.length > 0) return observeDeviceClaims(model, claims, look);
  const resource = resourceOfAccelerator(model);
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
