import { faultOfRelativePath } from "./relative-path.ts";

/** Where files are, as people write it: the union of what the APIs and the download program accept. */
export type SourceUri =
  | { readonly scheme: "http"; readonly url: string }
  | { readonly scheme: "file"; readonly path: string }
  /** `repo` is `org/name`, or a name alone. */
  | {
      readonly scheme: "hub";
      readonly repo: string;
      readonly revision: string | undefined;
      readonly path: string | undefined;
    }
  | { readonly scheme: "s3"; readonly bucket: string; readonly region: string | undefined; readonly key: string }
  | { readonly scheme: "registry"; readonly host: string; readonly repo: string; readonly reference: string }
  | { readonly scheme: "oci-object"; readonly namespace: string; readonly bucket: string; readonly path: string }
  | { readonly scheme: "pvc"; readonly namespace: string | undefined; readonly claim: string; readonly path: string }
  | { readonly scheme: "vendor"; readonly vendor: string; readonly path: string }
  | { readonly scheme: "azure"; readonly account: string; readonly container: string; readonly path: string }
  | { readonly scheme: "google"; readonly bucket: string; readonly path: string }
  | { readonly scheme: "github"; readonly owner: string; readonly repository: string; readonly tag: string }
  /** A path on the node. */
  | { readonly scheme: "local"; readonly path: string }
  | { readonly scheme: "other"; readonly name: string }
  /** `why` says what was expected; `shown` is the text without credentials. */
  | { readonly scheme: "invalid"; readonly why: string; readonly shown: string };

type Parsed = Exclude<SourceUri, { scheme: "invalid" }> | string;

const longest = 4096;

/** Says what a source means, or what is expected. Everything in it that becomes a path is checked here. */
export function parseSourceUri(text: string): SourceUri {
  if (text.length === 0 || text.length > longest || hasControls(text))
    return {
      scheme: "invalid",
      why: `expected 1 to ${longest} printable characters`,
      shown: showUri(text).slice(0, 40),
    };
  const parsed = parse(text);
  return typeof parsed === "string" ? { scheme: "invalid", why: parsed, shown: showUri(text) } : parsed;
}

/** A URI for people and files: without the query of a web address, the user and the password, where secrets are. */
export function showUri(text: string): string {
  if (!/^https?:/i.test(text)) return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@:]*:[^/]*@/i, "$1");
  return (text.split(/[?#]/)[0] ?? text).replace(/^([^/]*\/\/)[^/]*@/, "$1");
}

/** The URI of a repository of the hub, or of a file in it: what `parseSourceUri` reads back. */
export function formatHubUri({ repo, revision, path }: HubPlace): string {
  const at = revision === undefined ? "" : `@${escapePercent(revision).replaceAll("/", "%2F")}`;
  return `hf://${repo}${at}${path === undefined ? "" : `/${escapePercent(path)}`}`;
}

export interface HubPlace {
  readonly repo: string;
  readonly revision?: string | undefined;
  readonly path?: string | undefined;
}

/** The URI of an absolute path: what `parseSourceUri` reads back. */
export const formatFileUri = (path: string): string =>
  `file://${escapePercent(path).replaceAll("?", "%3F").replaceAll("#", "%23")}`;

const escapePercent = (text: string): string => text.replaceAll("%", "%25");

function parse(text: string): Parsed {
  if (text.startsWith("/")) return { scheme: "file", path: text };
  const [, scheme, rest = ""] = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/(.*)$/.exec(text) ?? [];
  if (scheme === undefined) return text.includes("/") ? parseHub(text) : hubForm;
  const name = scheme.toLowerCase();
  if (name === "http" || name === "https") return parseHttp(text);
  if (name === "file") return parseFile(text);
  const parser = Object.hasOwn(parsers, name) ? parsers[name] : undefined;
  return parser === undefined ? { scheme: "other", name } : parser(rest);
}

const parsers: Readonly<Record<string, (rest: string) => Parsed>> = {
  hf: parseHub,
  s3: parseS3,
  // The same scheme names Oracle's object storage, told apart by its fixed first segment.
  oci: (rest) => (/^n\/[^/]+\/b\//.test(rest) ? parseOciObject(rest) : parseRegistry(rest)),
  pvc: parsePvc,
  vendor: parseVendor,
  az: parseAzure,
  gs: parseGoogle,
  github: parseGithub,
  local: parseLocal,
};

const hubForm = "expected org/repo, hf://org/repo[@revision][/file], or an address with a scheme";

/** `repo[@revision][/file]`; slashes inside a revision are written `%2F`. */
function parseHub(rest: string): Parsed {
  const match = /^([\w.-]+(?:\/[\w.-]+)?)(?:@([^/]+))?(?:\/(.*))?$/.exec(rest);
  const repo = match?.[1] ?? "";
  if (match === null || repo.split("/").some((word) => /^[.-]|[.-]$|\.\.|--/.test(word))) return hubForm;
  const revision = match[2] === undefined ? undefined : decode(match[2]);
  if (revision === null) return badEscape;
  if (revision?.split("/").some((word) => word === "" || word === "." || word === "..")) return "invalid revision";
  const path = match[3] === undefined || match[3] === "" ? undefined : decode(match[3]);
  if (path === null) return badEscape;
  return path === undefined
    ? { scheme: "hub", repo, revision, path }
    : (faultOf(path) ?? { scheme: "hub", repo, revision, path });
}

function parseS3(rest: string): Parsed {
  const match = /^([^/@]+)(?:@([^/@]+))?(?:\/(.*))?$/.exec(rest);
  if (match === null) return "expected s3://{bucket}[@{region}]/{key}";
  const key = match[3] ?? "";
  return faultOfFolder(key) ?? { scheme: "s3", bucket: match[1] ?? "", region: match[2], key };
}

/** `host[:port]/repo[:tag][@sha256:digest]`; a digest wins over a tag. */
function parseRegistry(rest: string): Parsed {
  const name = "[a-z0-9]+(?:[._-]+[a-z0-9]+)*";
  const shape = new RegExp(
    `^([a-zA-Z0-9.-]+(?::\\d{1,5})?)/(${name}(?:/${name})*)(?::([\\w][\\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`,
  );
  const match = shape.exec(rest);
  if (match === null) return "expected oci://registry/repository[:tag][@sha256:digest]";
  const [, host = "", repo = "", tag = "latest", digest] = match;
  return { scheme: "registry", host, repo, reference: digest ?? tag };
}

/** `n/{namespace}/b/{bucket}/o/{path}`, where no path means the whole bucket. */
function parseOciObject(rest: string): Parsed {
  const match = /^n\/([\w-]{1,128})\/b\/([\w.-]{1,256})\/o(?:\/(.*))?$/.exec(rest);
  if (match === null) return "expected oci://n/{namespace}/b/{bucket}/o/{path}";
  const [, namespace = "", bucket = "", path = ""] = match;
  return faultOfFolder(path) ?? { scheme: "oci-object", namespace, bucket, path };
}

/** `claim/path` or `namespace:claim/path`. */
function parsePvc(rest: string): Parsed {
  const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
  const name = "[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?";
  const match = new RegExp(`^(?:(${label}):)?(${name})/(.+)$`).exec(rest);
  const path = (match?.[3] ?? "").replace(/\/+$/, "");
  if (match === null || path === "") return "expected pvc://{claim}/{path} or pvc://{namespace}:{claim}/{path}";
  return faultOf(path) ?? { scheme: "pvc", namespace: match[1], claim: match[2] ?? "", path };
}

function parseVendor(rest: string): Parsed {
  const [, vendor, path = ""] = /^([\w.-]{1,100})(?:\/(.*))?$/.exec(rest) ?? [];
  return vendor === undefined ? "expected vendor://{name}/{path}" : { scheme: "vendor", vendor, path };
}

function parseAzure(rest: string): Parsed {
  const [host = "", container, ...path] = rest.split("/");
  const account = host.replace(/\.blob\.core\.windows\.net$/, "");
  if (account === "" || !container) return "expected az://{account}/{container}/{path}";
  return faultOfFolder(path.join("/")) ?? { scheme: "azure", account, container, path: path.join("/") };
}

function parseGoogle(rest: string): Parsed {
  const [bucket, ...path] = rest.split("/");
  if (!bucket) return "expected gs://{bucket}/{object}";
  return faultOfFolder(path.join("/")) ?? { scheme: "google", bucket, path: path.join("/") };
}

function parseGithub(rest: string): Parsed {
  const [, owner, repository, tag = "latest"] = /^([^/@]+)\/([^/@]+)(?:@([^@]+))?$/.exec(rest) ?? [];
  return owner === undefined || repository === undefined
    ? "expected github://{owner}/{repository}[@{tag}]"
    : { scheme: "github", owner, repository, tag };
}

function parseLocal(rest: string): Parsed {
  const path = rest.replace(/^\//, "");
  if (path === "") return "expected local:///path/on/the/node";
  return faultOfFolder(path) ?? { scheme: "local", path: `/${path}` };
}

function parseHttp(text: string): Parsed {
  const url = URL.parse(text);
  if (url === null) return "invalid URL";
  if (url.username !== "" || url.password !== "")
    return "credentials are not allowed in a URL; use environment variables";
  url.hash = "";
  return { scheme: "http", url: url.href };
}

function parseFile(text: string): Parsed {
  const url = URL.parse(text);
  if (url === null || (url.host !== "" && url.host !== "localhost")) return "expected file:///path";
  const path = decode(url.pathname);
  return path === null ? badEscape : { scheme: "file", path };
}

const badEscape = "invalid percent-encoding";

/** Nothing for a broken escape, or one that hides a control character. */
function decode(part: string): string | null {
  try {
    const decoded = decodeURIComponent(part);
    return hasControls(decoded) ? null : decoded;
  } catch {
    return null;
  }
}

function faultOf(path: string): string | undefined {
  const fault = faultOfRelativePath(path);
  return fault === undefined ? undefined : `the path ${fault}`;
}

/** A folder can be empty, for all of it, and end with a slash. */
const faultOfFolder = (path: string): string | undefined =>
  path === "" ? undefined : faultOf(path.replace(/\/$/, ""));

function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
