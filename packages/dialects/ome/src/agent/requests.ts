import type { ArtifactSource, DownloadPermit, SecretEntry, SecretVariables, WantedArtifact } from "@trivium/domain";
import { findCondition, type Node } from "@trivium/kube";
import { fitCheckAnnotation, modelKeyOf, skipAnnotations, storedName } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import { type ModelPlace, placeOf, type Stored } from "../storage/place.ts";
import type { StorageUri } from "../storage/uri.ts";
import { isEligible } from "./eligible.ts";

export type ModelRequest =
  | { readonly is: "wanted"; readonly artifact: WantedArtifact }
  | { readonly is: "unwanted"; readonly artifact: WantedArtifact }
  | { readonly is: "none" };

/** What a node should do about a model: hold it, let go of it, or nothing since it is no matter of nodes. */
export function requestOf(model: Stored, node: Node, options: OmeOptions): ModelRequest {
  const place = placeOf(model, options);
  if (place.is === "claim") return { is: "none" };
  const artifact = artifactOf(model, place, options);
  const isLeaving = model.metadata.deletionTimestamp !== undefined;
  return { is: !isLeaving && isEligible(model.spec.storage, node) ? "wanted" : "unwanted", artifact };
}

/** Files of a model that is gone stay where they are. */
const reserveLabel = "models.ome/reserve-model-artifact";

function artifactOf(model: Stored, place: Exclude<ModelPlace, { is: "claim" }>, options: OmeOptions): WantedArtifact {
  const { metadata, spec } = model;
  const { labels, annotations } = metadata;
  const isRead = !skipAnnotations.some((key) => annotations?.[key] === "true");
  const faulty: ArtifactSource | undefined = place.is === "faulty" ? { is: "refused", why: place.why } : undefined;
  const secret = place.is === "node" ? secretOf(model, place.uri, options) : undefined;
  const permit = permitOf(model);
  return {
    key: modelKeyOf(storedName(model)),
    source: faulty ?? sourceOf((place as { uri: StorageUri }).uri, spec.storage.storageUri),
    path: place.is === "node" ? place.path : (spec.storage.path ?? ""),
    settings: place.is === "node" ? settingsOf(place.uri, spec.storage.parameters ?? {}) : {},
    ...(secret === undefined ? {} : { secret }),
    reading: isRead ? "headers" : "nothing",
    // Trainers upload tuned weights as one archive.
    ...(model.kind === "FineTunedWeight" ? { unpacking: "zip" as const } : {}),
    afterwards: labels?.[reserveLabel] === "true" ? "keep" : "remove",
    ...(permit === undefined ? {} : { permit }),
  };
}

/** What no node can load is not downloaded: the reconciler of the model decides that, from what agents list. */
function permitOf({ kind, metadata, status }: Stored): DownloadPermit | undefined {
  if (kind === "FineTunedWeight" || metadata.annotations?.[fitCheckAnnotation] === "off") return undefined;
  const current = (type: string): string | undefined => {
    const found = findCondition(status?.conditions, type);
    return found?.observedGeneration === metadata.generation ? found?.status : undefined;
  };
  const fits = current("Fits");
  if (fits === "False") return "denied";
  return fits !== undefined || current("Ready") === "True" ? undefined : "awaited";
}

function sourceOf(uri: StorageUri, text: string): ArtifactSource {
  switch (uri.scheme) {
    case "oci":
    case "hf":
    case "registry":
      return { is: "fetched", uri: text };
    case "s3":
      return { is: "fetched", uri: `s3://${uri.bucket}/${uri.prefix}` };
    case "local":
      return { is: "present" };
    case "vendor":
      return { is: "elsewhere" };
    default:
      return {
        is: "refused",
        why: `${uri.scheme}:// is not supported; use hf://, s3://, oci:// or a PersistentVolumeClaim`,
      };
  }
}

function settingsOf(uri: StorageUri, { region, auth }: Readonly<Record<string, string>>): Record<string, string> {
  if (uri.scheme === "s3") {
    const chosen = uri.region ?? region;
    return chosen ? { AWS_REGION: chosen } : {};
  }
  if (uri.scheme !== "oci") return {};
  const login = auth ? principals[auth.toLowerCase()] : undefined;
  return { ...(region ? { OCI_CLI_REGION: region } : {}), ...(login === undefined ? {} : { OCI_CLI_AUTH: login }) };
}

/** Logins of Oracle's cloud by the words of this API; who writes none gets whatever login the node has. */
const principals: Readonly<Record<string, string>> = {
  userprincipal: "api_key",
  instanceprincipal: "instance_principal",
  resourceprincipal: "resource_principal",
  okeworkloadidentity: "oke_workload_identity",
};

/** What each store takes out of a Secret. A token in plain parameters is not taken: everybody who may read models could read it. */
const secretEntries: Readonly<Record<string, readonly SecretEntry[]>> = {
  s3: [
    { key: "AWS_ACCESS_KEY_ID", variable: "AWS_ACCESS_KEY_ID", need: "must" },
    { key: "AWS_SECRET_ACCESS_KEY", variable: "AWS_SECRET_ACCESS_KEY", need: "must" },
    ...mayHave("AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_REGION"),
  ],
  // A pull secret, as pods have it for images.
  registry: [{ key: ".dockerconfigjson", variable: "DOCKER_AUTH_CONFIG", need: "must" }],
  oci: mayHave(
    "OCI_PAR",
    "OCI_CLI_TENANCY",
    "OCI_CLI_USER",
    "OCI_CLI_FINGERPRINT",
    "OCI_CLI_KEY_CONTENT",
    "OCI_CLI_PASSPHRASE",
    "OCI_CLI_REGION",
  ),
};

function mayHave(...names: readonly string[]): SecretEntry[] {
  return names.map((name) => ({ key: name, variable: name, need: "may" }));
}

function secretOf(
  { metadata, spec }: Stored,
  { scheme }: StorageUri,
  { namespace }: OmeOptions,
): SecretVariables | undefined {
  const { key, parameters } = spec.storage;
  if (!key) return undefined;
  const token: SecretEntry = { key: parameters?.secretKey || "token", variable: "HF_TOKEN", need: "must" };
  const entries = scheme === "hf" ? [token] : secretEntries[scheme];
  return entries === undefined ? undefined : { namespace: metadata.namespace ?? namespace, name: key, entries };
}
