import type { ArtifactSource, SecretVariable, WantedArtifact } from "@trivium/domain";
import type { Node } from "@trivium/kube";
import type { BaseModel } from "../kinds/base-model.ts";
import { modelKeyOf, skipAnnotations } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import { type ModelPlace, placeOf } from "../storage/place.ts";
import type { StorageUri } from "../storage/uri.ts";
import { isEligible } from "./eligible.ts";

export type ModelWish =
  | { readonly is: "wanted"; readonly artifact: WantedArtifact }
  | { readonly is: "unwanted"; readonly artifact: WantedArtifact }
  | { readonly is: "none" };

/** What a node should do about a model: hold it, let go of it, or nothing since it is no matter of nodes. */
export function wishOf(model: BaseModel, node: Node, options: OmeOptions): ModelWish {
  const place = placeOf(model, options);
  if (place.is === "claim") return { is: "none" };
  const artifact = artifactOf(model, place, options);
  const isLeaving = model.metadata.deletionTimestamp !== undefined;
  return { is: !isLeaving && isEligible(model.spec.storage, node) ? "wanted" : "unwanted", artifact };
}

/** Files of a model that is gone stay where they are. */
const reserveLabel = "models.ome/reserve-model-artifact";

function artifactOf(
  model: BaseModel,
  place: Exclude<ModelPlace, { is: "claim" }>,
  options: OmeOptions,
): WantedArtifact {
  const { metadata, spec } = model;
  const { namespace, name = "", labels, annotations } = metadata;
  const isRead = !skipAnnotations.some((key) => annotations?.[key] === "true");
  const faulty: ArtifactSource | undefined = place.is === "faulty" ? { is: "refused", why: place.why } : undefined;
  const secret = place.is === "node" ? secretOf(model, place.uri, options) : undefined;
  return {
    key: modelKeyOf({ namespace, name }),
    source: faulty ?? sourceOf((place as { uri: StorageUri }).uri, spec.storage.storageUri),
    path: place.is === "node" ? place.path : (spec.storage.path ?? ""),
    settings: place.is === "node" ? settingsOf(place.uri, spec.storage.parameters ?? {}) : {},
    ...(secret === undefined ? {} : { secret }),
    reading: isRead ? "headers" : "nothing",
    afterwards: labels?.[reserveLabel] === "true" ? "keep" : "remove",
  };
}

function sourceOf(uri: StorageUri, text: string): ArtifactSource {
  switch (uri.scheme) {
    case "oci":
    case "hf":
      return { is: "fetched", uri: text };
    case "s3":
      return { is: "fetched", uri: `s3://${uri.bucket}/${uri.prefix}` };
    case "local":
      return { is: "present" };
    case "vendor":
      return { is: "elsewhere" };
    default:
      return { is: "refused", why: `nothing here downloads ${uri.scheme}://; use hf://, s3://, oci:// or a claim` };
  }
}

function settingsOf(uri: StorageUri, parameters: Readonly<Record<string, string>>): Record<string, string> {
  const region = uri.scheme === "s3" ? (uri.region ?? parameters.region) : parameters.region;
  if (!region) return {};
  return uri.scheme === "s3" ? { AWS_REGION: region } : uri.scheme === "oci" ? { OCI_CLI_REGION: region } : {};
}

/** Only the hub takes a token; the other stores have logins of their own. A token in plain parameters is not taken. */
function secretOf(
  { metadata, spec }: BaseModel,
  uri: StorageUri,
  { namespace }: OmeOptions,
): SecretVariable | undefined {
  const { key, parameters } = spec.storage;
  if (!key || uri.scheme !== "hf") return undefined;
  return {
    namespace: metadata.namespace ?? namespace,
    name: key,
    key: parameters?.secretKey || "token",
    variable: "HF_TOKEN",
  };
}
