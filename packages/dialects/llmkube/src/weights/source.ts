import { formatHubUri, type HubPlace, once, parseHubPath, parseSourceUri, type SourceUri } from "@trivium/std";

/** Where the weights of a Model come from; every source string belongs to exactly one class. */
export type Source =
  | { readonly is: "claim"; readonly claim: string; readonly path: string }
  | { readonly is: "local"; readonly path: string }
  /** `uri` is what the download program gets: of a file on the hub it knows more than of a URL. */
  | { readonly is: "remote"; readonly url: string; readonly uri: string }
  /** An object, or the objects below a prefix. Only pods have its credentials, so nobody else asks for it. */
  | { readonly is: "bucket"; readonly uri: string; readonly isFile: boolean }
  | { readonly is: "repository"; readonly repository: string; readonly revision?: string }
  | { readonly is: "faulty"; readonly why: string };

const faulty = (why: string): Source => ({ is: "faulty", why });

const remedy = "set it to an absolute path, a URL, pvc://claim/path, s3://bucket/path or hf://org/repo";

/** What a source means in this API: the shared parser reads it, and these rules choose the class. */
export function parseSource(text: string): Source {
  const uri = parseSourceUri(inSharedForm(text));
  switch (uri.scheme) {
    case "pvc":
      return ofClaim(uri, text);
    case "file":
      return uri.path.length > 1 ? { is: "local", path: uri.path } : faulty("spec.source names no file; add its path");
    case "http":
      return ofUrl(text, new URL(uri.url));
    case "hub":
      return ofHub(uri);
    case "s3":
      return { is: "bucket", uri: text, isFile: modelFile.test(uri.key) };
    case "invalid":
      return faulty(`spec.source "${uri.shown}" is not valid (${uri.why}); ${remedy}`);
    default:
      return faulty(`spec.source "${text}" is not a source that a Model supports; ${remedy}`);
  }
}

/** The same of a spec, which is asked for in several steps of a pass. */
export const sourceOf: (spec: { readonly source: string }) => Source = once(({ source }) => parseSource(source));

const modelFile = /\.(gguf|safetensors|bin|pt|pth)$/i;

/**
 * This API writes `repo/file@revision`, and a revision can have slashes; elsewhere it is `repo@revision/file`. What follows `file://` is
 * a path as it is, without escapes.
 */
function inSharedForm(text: string): string {
  const [, local] = /^file:\/\/(\/.*)$/i.exec(text) ?? [];
  if (local !== undefined) return local;
  const [, path, revision] = /^(?:hf:\/\/)?([\w.-]+\/[^@:]+)@([^@:]+)$/.exec(text) ?? [];
  if (path === undefined || revision === undefined || modelFile.test(revision)) return text;
  const [organization, name, ...file] = path.split("/");
  const place: HubPlace = { repo: `${organization}/${name}`, revision };
  return formatHubUri(file.length === 0 ? place : { ...place, path: file.join("/") });
}

/** A Model uses claims of its own namespace only. */
const ofClaim = ({ namespace, claim, path }: Extract<SourceUri, { scheme: "pvc" }>, text: string): Source =>
  namespace === undefined
    ? { is: "claim", claim, path }
    : faulty(`spec.source "${text}" names a claim of another namespace; set it to pvc://claim/path`);

function ofHub({ repo, revision, path }: HubPlace): Source {
  if (path !== undefined && !repo.includes("/"))
    return faulty("spec.source names no repository; set it to hf://org/repo or hf://org/repo@revision");
  if (revision !== undefined && /\s/.test(revision))
    return faulty(`spec.source: revision "${revision}" must not contain spaces; correct it`);
  if (path !== undefined && modelFile.test(path)) {
    const url = `https://huggingface.co/${repo}/resolve/${encodeURIComponent(revision ?? "main")}/${path}`;
    return { is: "remote", url, uri: formatHubUri({ repo, revision, path }) };
  }
  const repository = path === undefined ? repo : `${repo}/${path}`;
  return { is: "repository", repository, ...(revision === undefined ? {} : { revision }) };
}

const hubHosts = ["huggingface.co", "www.huggingface.co"];

/** A URL on the hub can mean a whole repository; one of a page about a file means the file. */
function ofUrl(text: string, { host, pathname }: URL): Source {
  if (!hubHosts.includes(host)) return { is: "remote", url: text, uri: text };
  const [organization, name] = pathname.split("/").filter((step) => step !== "");
  if (organization === "datasets" || organization === "spaces")
    return faulty(`${organization} of Hugging Face are not models; change spec.source`);
  if (organization === undefined || name === undefined)
    return faulty(`spec.source "${text}" does not name a repository; add organization and name`);
  const uri = parseHubPath(pathname)?.place;
  if (uri === undefined) return { is: "remote", url: text, uri: text };
  if (uri.scheme !== "hub") return faulty(`spec.source "${text}" does not name a repository; correct it`);
  if (uri.path === undefined) return ofHub(uri);
  return { is: "remote", url: text.replace(`/${name}/blob/`, `/${name}/resolve/`), uri: formatHubUri(uri) };
}

/** Whether a path with `..` steps could leave the folder it is relative to. */
export const hasParentStep = (path: string): boolean => path.split("/").includes("..");
