import { WeightsError } from "../fault.ts";
import { checkRelativePath } from "./relative-path.ts";

export type ModelUri =
  | { readonly scheme: "http"; readonly url: URL }
  | { readonly scheme: "file"; readonly path: string }
  | { readonly scheme: "hub"; readonly repo: string; readonly revision: string; readonly path: string | undefined }
  | { readonly scheme: "s3"; readonly bucket: string; readonly key: string }
  | { readonly scheme: "registry"; readonly host: string; readonly repo: string; readonly reference: string }
  | { readonly scheme: "oci-object"; readonly namespace: string; readonly bucket: string; readonly path: string }
  | { readonly scheme: "pvc"; readonly namespace: string | undefined; readonly claim: string; readonly path: string }
  | { readonly scheme: "vendor"; readonly vendor: string; readonly text: string }
  | { readonly scheme: "other"; readonly name: string; readonly text: string };

const longest = 4096;

/** Says what a URI means, or throws `InvalidUri`. Everything in it that becomes a path is checked here. */
export function parseModelUri(text: string): ModelUri {
  if (text.length === 0 || text.length > longest || hasControls(text)) {
    throw invalid(text.slice(0, 40), `expected 1 to ${longest} printable characters`);
  }
  if (text.startsWith("/")) return { scheme: "file", path: text };
  const [, scheme, rest = ""] = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/(.*)$/.exec(text) ?? [];
  if (scheme === undefined) return parseHub(text, text);
  switch (scheme.toLowerCase()) {
    case "http":
    case "https":
      return parseHttp(text);
    case "file":
      return parseFile(text);
    case "hf":
      return parseHub(rest, text);
    case "s3":
      return parseS3(rest, text);
    case "oci":
      // The same scheme names Oracle's object storage, told apart by its fixed first segment.
      return /^n\/[^/]+\/b\//.test(rest) ? parseOciObject(rest, text) : parseRegistry(rest, text);
    case "pvc":
      return parsePvc(rest, text);
    case "vendor":
      return parseVendor(rest, text);
    default:
      return { scheme: "other", name: scheme.toLowerCase(), text };
  }
}

/** A URI for people and files: without the query, where signed addresses keep their secrets. */
export function showUri(text: string): string {
  return /^https?:/i.test(text) ? (text.split(/[?#]/)[0] ?? text) : text;
}

/** `org/repo[@revision][/file]`; slashes inside a revision are written `%2F`. */
function parseHub(rest: string, text: string): ModelUri {
  const match = /^([\w.-]+\/[\w.-]+)(?:@([^/]+))?(?:\/(.*))?$/.exec(rest);
  const repo = match?.[1] ?? "";
  if (match === null || repo.split("/").some((word) => /^[.-]|[.-]$|\.\.|--/.test(word))) {
    throw invalid(text, "expected org/repo, hf://org/repo[@revision][/file], or an address with a scheme");
  }
  const revision = decode(match[2] ?? "main", text);
  if (revision.split("/").some((word) => word === "" || word === "." || word === ".."))
    throw invalid(text, "invalid revision");
  const path = match[3] === undefined || match[3] === "" ? undefined : decode(match[3], text);
  if (path !== undefined) checkRelativePath(path, text);
  return { scheme: "hub", repo, revision, path };
}

function parseS3(rest: string, text: string): ModelUri {
  const match = /^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(rest);
  if (match === null || match[1]?.includes("..")) throw invalid(text, "expected s3://bucket/key");
  const key = match[2] ?? "";
  if (key !== "") checkRelativePath(key.replace(/\/$/, ""), text);
  return { scheme: "s3", bucket: match[1] ?? "", key };
}

/** `host[:port]/repo[:tag][@sha256:digest]`; a digest wins over a tag. */
function parseRegistry(rest: string, text: string): ModelUri {
  const name = "[a-z0-9]+(?:[._-]+[a-z0-9]+)*";
  const shape = new RegExp(
    `^([a-zA-Z0-9.-]+(?::\\d{1,5})?)/(${name}(?:/${name})*)(?::([\\w][\\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`,
  );
  const match = shape.exec(rest);
  if (match === null) throw invalid(text, "expected oci://registry/repository[:tag][@sha256:digest]");
  return {
    scheme: "registry",
    host: match[1] ?? "",
    repo: match[2] ?? "",
    reference: match[4] ?? match[3] ?? "latest",
  };
}

/** `n/{namespace}/b/{bucket}/o/{path}`, where no path means the whole bucket. */
function parseOciObject(rest: string, text: string): ModelUri {
  const match = /^n\/([\w-]{1,128})\/b\/([\w.-]{1,256})\/o(?:\/(.*))?$/.exec(rest);
  if (match === null) throw invalid(text, "expected oci://n/{namespace}/b/{bucket}/o/{path}");
  const path = match[3] ?? "";
  if (path !== "") checkRelativePath(path.replace(/\/$/, ""), text);
  return { scheme: "oci-object", namespace: match[1] ?? "", bucket: match[2] ?? "", path };
}

/** `claim/path` or `namespace:claim/path`. */
function parsePvc(rest: string, text: string): ModelUri {
  const name = "[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?";
  const match = new RegExp(`^(?:(${name}):)?(${name})/(.+)$`).exec(rest);
  if (match === null) throw invalid(text, "expected pvc://{claim}/{path} or pvc://{namespace}:{claim}/{path}");
  const path = (match[3] ?? "").replace(/\/$/, "");
  checkRelativePath(path, text);
  return { scheme: "pvc", namespace: match[1], claim: match[2] ?? "", path };
}

function parseVendor(rest: string, text: string): ModelUri {
  const vendor = /^([\w.-]{1,100})(?:\/|$)/.exec(rest)?.[1];
  if (vendor === undefined) throw invalid(text, "expected vendor://{name}/{path}");
  return { scheme: "vendor", vendor, text };
}

function parseHttp(text: string): ModelUri {
  const url = URL.parse(text);
  if (url === null) throw invalid(text, "invalid URL");
  if (url.username !== "" || url.password !== "") {
    throw invalid(
      `${url.protocol}//${url.host}${url.pathname}`,
      "credentials are not allowed in a URL; use environment variables",
    );
  }
  url.hash = "";
  return { scheme: "http", url };
}

function parseFile(text: string): ModelUri {
  const url = URL.parse(text);
  if (url === null || (url.host !== "" && url.host !== "localhost")) throw invalid(text, "expected file:///path");
  return { scheme: "file", path: decode(url.pathname, text) };
}

function decode(part: string, text: string): string {
  try {
    const decoded = decodeURIComponent(part);
    if (!hasControls(decoded)) return decoded;
  } catch {
    // Falls through: a broken escape is as bad as a hidden control character.
  }
  throw invalid(text, "invalid percent-encoding");
}

function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function invalid(text: string, why: string): WeightsError {
  return new WeightsError("refused", "InvalidUri", `${showUri(text)}: not a valid model URI; ${why}`);
}
