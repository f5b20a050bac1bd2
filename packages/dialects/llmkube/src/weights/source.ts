import { parseSourceUri } from "@trivium/std";

/** Where the weights of a Model come from; every source string belongs to exactly one class. */
export type Source =
  | { readonly is: "claim"; readonly claim: string; readonly path: string }
  | { readonly is: "local"; readonly path: string }
  /** Of a file on the hub the engine of downloads knows more than of an address: `uri` says it in its words. */
  | { readonly is: "remote"; readonly url: string; readonly uri: string }
  | { readonly is: "repository"; readonly repository: string; readonly revision?: string }
  | { readonly is: "faulty"; readonly why: string };

const faulty = (why: string): Source => ({ is: "faulty", why });

/** The order of the tests decides: the first that knows the string takes it. */
export function parseSource(text: string): Source {
  if (text.startsWith("pvc://")) return parseClaim(text.slice("pvc://".length));
  if (/^file:\/\//i.test(text)) return parseLocal(text.slice("file://".length));
  if (text.startsWith("/")) return parseLocal(text);
  if (/^https?:\/\//.test(text)) return parseUrl(text);
  if (text.startsWith("hf://")) return parseRepository(text.slice("hf://".length));
  if (/^[A-Za-z0-9][A-Za-z0-9._/@-]*$/.test(text) && text.includes("/")) return parseRepository(text);
  return faulty(
    `spec.source "${text}" is not a valid source; set it to an absolute path, a URL, pvc://claim/path or org/repo`,
  );
}

function parseClaim(text: string): Source {
  const slash = text.indexOf("/");
  const [claim, path] = slash === -1 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
  if (claim === "" || path === "") return faulty("spec.source names no claim or no path; set it to pvc://claim/path");
  if (path.startsWith("/") || hasParentStep(path)) return faulty(`spec.source: path ${path} must not leave the claim`);
  const uri = parseSourceUri(`pvc://${text}`);
  // A Model uses claims of its own namespace only.
  if (uri.scheme !== "pvc" || uri.namespace !== undefined)
    return faulty(`spec.source "pvc://${text}" is not a valid claim and path (expected pvc://claim/path)`);
  return { is: "claim", claim: uri.claim, path: uri.path };
}

function parseLocal(path: string): Source {
  return path.startsWith("/") && path.length > 1
    ? { is: "local", path }
    : faulty(`spec.source must have an absolute path after file://, not "${path}"`);
}

const hubHosts = ["huggingface.co", "www.huggingface.co"];

/** A URL on the hub may mean a whole repository; one to a page about a file means the file. */
function parseUrl(text: string): Source {
  const match = /^https?:\/\/([^/?#]+)([^?#]*)/.exec(text);
  const [host, path] = [match?.[1] ?? "", match?.[2] ?? ""];
  if (host === "") return faulty(`spec.source "${text}" has no host`);
  if (!hubHosts.includes(host.toLowerCase())) return { is: "remote", url: text, uri: text };
  const steps = path.split("/").filter((step) => step !== "");
  if (steps[0] === "datasets" || steps[0] === "spaces")
    return faulty(`${steps[0]} of Hugging Face are not models; change spec.source`);
  const [organisation, name, form, revision, ...file] = steps;
  if (organisation === undefined || name === undefined)
    return faulty(`spec.source "${text}" does not name a repository`);
  if (file.length > 0 && (form === "resolve" || form === "blob")) {
    const uri = `${repositoryUri(`${organisation}/${name}`, revision)}/${file.join("/")}`;
    return { is: "remote", url: text.replace(`/${name}/blob/`, `/${name}/resolve/`), uri };
  }
  const isTree = form === undefined || ((form === "tree" || form === "resolve") && revision !== undefined);
  if (!isTree) return { is: "remote", url: text, uri: text };
  return { is: "repository", repository: `${organisation}/${name}`, ...(revision === undefined ? {} : { revision }) };
}

const modelFile = /\.(gguf|safetensors|bin|pt|pth)$/i;

function parseRepository(text: string): Source {
  const at = text.indexOf("@");
  const [path, revision] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  if (path === "" || path.startsWith("/")) return faulty("spec.source must have the form hf://org/repo[@revision]");
  if (revision === "") return faulty(`spec.source "${text}" has an empty revision; add one after @, or remove the @`);
  if (revision !== undefined && /\s/.test(revision))
    return faulty(`spec.source: revision "${revision}" must not contain spaces`);
  const steps = path.split("/");
  if (steps.length >= 3 && modelFile.test(path)) {
    const uri = `${repositoryUri(steps.slice(0, 2).join("/"), revision)}/${steps.slice(2).join("/")}`;
    return { is: "remote", url: fileInRepository(steps, revision), uri };
  }
  return { is: "repository", repository: path, ...(revision === undefined ? {} : { revision }) };
}

const fileInRepository = (steps: readonly string[], revision = "main"): string =>
  `https://huggingface.co/${steps.slice(0, 2).join("/")}/resolve/${revision}/${steps.slice(2).join("/")}`;

/** What the weights engine fetches for a repository and one of its files. */
export const repositoryUri = (repository: string, revision: string | undefined): string =>
  `hf://${repository}${revision === undefined ? "" : `@${revision}`}`;

/** Whether a path with `..` steps could leave the folder it is relative to. */
export const hasParentStep = (path: string): boolean => path.split("/").includes("..");

/** Addresses may hold credentials, in front of the host and behind the path. */
export const withoutSecrets = (url: string): string => (url.split(/[?#]/, 1)[0] ?? "").replace(/\/\/[^/@]*@/, "//");
