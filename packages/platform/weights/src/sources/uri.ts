import { parseSourceUri, type SourceUri, showUri } from "@trivium/std";
import { WeightsError } from "../fault.ts";

/** A source that can be downloaded from, or names what cannot: `other`. */
export type ModelUri =
  | { readonly scheme: "http"; readonly url: URL }
  | Of<"file">
  | (Of<"hub"> & { readonly revision: string })
  | Omit<Of<"s3">, "region">
  | Of<"registry">
  | Of<"oci-object">
  | Of<"pvc">
  | { readonly scheme: "vendor"; readonly vendor: string; readonly text: string }
  | { readonly scheme: "other"; readonly name: string; readonly text: string };

type Of<S extends SourceUri["scheme"]> = Extract<SourceUri, { scheme: S }>;

export { showUri };

/** Says what a URI means, or throws `InvalidUri`. */
export function parseModelUri(text: string): ModelUri {
  const uri = parseSourceUri(text);
  switch (uri.scheme) {
    case "invalid":
      throw invalid(uri.shown, uri.why);
    case "http":
      return { scheme: "http", url: new URL(uri.url) };
    case "hub":
      // A name alone is a repository of an API, not one to download from.
      if (!uri.repo.includes("/")) throw invalid(text, "expected hf://org/repo[@revision][/file]");
      return { ...uri, revision: uri.revision ?? "main" };
    case "s3":
      if (uri.region !== undefined || !bucketName.test(uri.bucket) || uri.bucket.includes(".."))
        throw invalid(text, "expected s3://bucket/key");
      return { scheme: "s3", bucket: uri.bucket, key: uri.key };
    case "vendor":
      return { scheme: "vendor", vendor: uri.vendor, text };
    case "azure":
    case "google":
    case "github":
    case "local":
    case "other":
      return { scheme: "other", name: text.slice(0, text.indexOf("://")).toLowerCase(), text };
    case "file":
    case "registry":
    case "oci-object":
    case "pvc":
      return uri;
  }
}

/** As S3 names buckets. Other stores that speak its protocol keep to it. */
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

const invalid = (shown: string, why: string): WeightsError =>
  new WeightsError("refused", "InvalidUri", `${shown}: not a valid model URI; ${why}`);
