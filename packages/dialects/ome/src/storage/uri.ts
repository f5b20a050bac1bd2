import { parseSourceUri } from "@trivium/std";

/** Where files are, as `storage.storageUri` specifies it. */
export type StorageUri =
  | { readonly scheme: "oci"; readonly namespace: string; readonly bucket: string; readonly prefix: string }
  | {
      readonly scheme: "pvc";
      readonly namespace: string | undefined;
      readonly claim: string;
      readonly path: string;
    }
  | { readonly scheme: "vendor"; readonly vendor: string; readonly type: string; readonly path: string }
  | { readonly scheme: "hf"; readonly model: string; readonly revision: string }
  | {
      readonly scheme: "s3";
      readonly bucket: string;
      readonly region: string | undefined;
      readonly prefix: string;
    }
  | { readonly scheme: "az"; readonly account: string; readonly container: string; readonly path: string }
  | { readonly scheme: "gs"; readonly bucket: string; readonly path: string }
  | { readonly scheme: "github"; readonly owner: string; readonly repository: string; readonly tag: string }
  | { readonly scheme: "registry"; readonly host: string; readonly repo: string; readonly reference: string }
  | { readonly scheme: "local"; readonly path: string };

export type ParsedUri = StorageUri | { readonly scheme: "invalid"; readonly why: string };

const invalid = (why: string): ParsedUri => ({ scheme: "invalid", why });

const schemes = ["oci", "pvc", "vendor", "hf", "s3", "az", "gs", "github", "local", "file"];
const known = schemes.map((scheme) => `${scheme}://`).join(", ");

/** Total: the answer says what the text means in this API, or what is wrong with it. */
export function parseStorageUri(text: string): ParsedUri {
  if (text === "") return invalid("must not be empty");
  const uri = parseSourceUri(text);
  const scheme = /^([a-z0-9]+):\/\//.exec(text)?.[1] ?? "";
  if (!schemes.includes(scheme) && uri.scheme !== "invalid") return invalid(`unknown storage type (expected ${known})`);
  switch (uri.scheme) {
    case "invalid":
      return invalid(uri.why);
    case "oci-object":
      return text.includes("/o/")
        ? { scheme: "oci", namespace: uri.namespace, bucket: uri.bucket, prefix: uri.path }
        : invalid(ociForm);
    // A name without a dot or a port is a mistake in the address of a bucket rather than a registry, as container tools decide it.
    case "registry":
      return /[.:]/.test(uri.host) ? uri : invalid(ociForm);
    case "vendor":
      return vendorOf(uri);
    case "hub":
      return hubOf(uri);
    case "s3":
      return { scheme: "s3", bucket: uri.bucket, region: uri.region, prefix: uri.key };
    case "azure":
      return { ...uri, scheme: "az" };
    case "google":
      return { ...uri, scheme: "gs" };
    // As the other APIs write a file of a node.
    case "file":
      return fileOf(uri);
    case "pvc":
    case "github":
    case "local":
      return uri;
    default:
      return invalid(`unknown storage type (expected ${known})`);
  }
}

const fileOf = ({ path }: { readonly path: string }): ParsedUri =>
  path === "/" || path.split("/").some((word) => word === "." || word === "..")
    ? invalid("expected file:///path without . or .. segments")
    : { scheme: "local", path };

const ociForm = "expected oci://n/{namespace}/b/{bucket}/o/{path} or oci://{registry host}/{repository}[:tag]";

function vendorOf({ vendor, path: rest }: { readonly vendor: string; readonly path: string }): ParsedUri {
  const [type, ...path] = rest.split("/");
  if (!type || path.join("/") === "") return invalid("expected vendor://{vendor}/{type}/{path}");
  return path.some((word) => word === "." || word === "..")
    ? invalid("paths must not contain . or .. segments")
    : { scheme: "vendor", vendor, type, path: path.join("/") };
}

/** This API names whole repositories: what looks like a file is a part of the name, or of the revision. */
function hubOf(uri: {
  readonly repo: string;
  readonly revision?: string | undefined;
  readonly path?: string | undefined;
}) {
  const { repo, revision, path } = uri;
  const rest = path === undefined ? "" : `/${path}`;
  return revision === undefined
    ? { scheme: "hf" as const, model: `${repo}${rest}`, revision: "main" }
    : { scheme: "hf" as const, model: repo, revision: `${revision}${rest}` };
}
