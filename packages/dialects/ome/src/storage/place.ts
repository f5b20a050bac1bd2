import { once } from "@trivium/std";
import type { BaseModel } from "../kinds/base-model.ts";
import type { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import type { OmeOptions } from "../options.ts";
import { parseStorageUri, type StorageUri } from "./uri.ts";

/** What has files: a model, or weights that were tuned from one. */
export type Stored = BaseModel | FineTunedWeight;

/** Where the files of a model are for whoever mounts them. */
export type ModelPlace =
  /** On nodes, under this path; the agents of the nodes see to it. */
  | { readonly is: "node"; readonly path: string; readonly uri: StorageUri }
  /** In a claim, mounted under this path. */
  | {
      readonly is: "claim";
      readonly namespace: string;
      readonly claim: string;
      readonly subPath: string;
      readonly path: string;
    }
  | { readonly is: "faulty"; readonly field: StorageField; readonly detail: string; readonly why: string };

export type StorageField = "storageUri" | "path";

/** Where a claim is mounted when nobody says otherwise. */
const claimPath = "/opt/ml/model";

const faulty = (field: StorageField, detail: string): ModelPlace => ({
  is: "faulty",
  field,
  detail,
  why: `spec.storage.${field}: ${detail}`,
});

/** Observing and deciding both depend on it, so a pass evaluates it once. */
export const placeOf: (object: Stored, options: Pick<OmeOptions, "modelsRoot">) => ModelPlace = once(evaluatePlace);

function evaluatePlace(object: Stored, { modelsRoot }: Pick<OmeOptions, "modelsRoot">): ModelPlace {
  const { kind, metadata, spec } = object;
  const { storageUri, path } = spec.storage;
  const uri = parseStorageUri(storageUri);
  if (uri.scheme === "invalid") return faulty("storageUri", uri.why);
  if (path && !isAbsolute(path)) return faulty("path", "must be an absolute path without . or .. segments");
  if (uri.scheme === "pvc") {
    const { namespace } = metadata;
    if (namespace !== undefined && uri.namespace !== undefined && uri.namespace !== namespace)
      return faulty("storageUri", `a BaseModel can only use claims in its own namespace ${namespace}`);
    const home = uri.namespace ?? namespace;
    if (home === undefined) return faulty("storageUri", `a ${kind} must use the form pvc://{namespace}:{claim}/{path}`);
    return { is: "claim", namespace: home, claim: uri.claim, subPath: uri.path, path: path || claimPath };
  }
  if (path) return { is: "node", path, uri };
  // Files that are on the node already are used where they are.
  if (uri.scheme === "local") return { is: "node", path: uri.path, uri };
  const { name = "" } = metadata;
  if (kind === "FineTunedWeight") return { is: "node", path: `${modelsRoot}/fine-tuned-weights/${name}`, uri };
  return { is: "node", path: defaultPathOf(name, { vendor: spec.vendor, modelsRoot }), uri };
}

function defaultPathOf(
  name: string,
  { vendor, modelsRoot }: { vendor: string | undefined; modelsRoot: string },
): string {
  const folder = (vendor ?? "").replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^\.+/, "") || "models";
  return `${modelsRoot}/${folder}/${name}`;
}

const isAbsolute = (path: string): boolean =>
  path.startsWith("/") && path.length > 1 && !path.split("/").some((word) => word === "." || word === "..");
