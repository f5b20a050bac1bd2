import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, extname, resolve } from "node:path";
import { parseSourceUri, Refusal } from "@trivium/std";

/** What `trivium run` was given. */
export type RunTarget =
  | { readonly is: "manifest"; readonly path: string }
  | { readonly is: "file"; readonly path: string }
  | {
      readonly is: "repository";
      readonly repository: string;
      readonly revision?: string;
      readonly quantization?: string;
      /** One file of it. */
      readonly file?: string;
    }
  | { readonly is: "address"; readonly uri: string };

const manifestNames = [".yaml", ".yml", ".json"];
/** What is served of a repository follows its id: `org/repo:Q8_0`. */
const quantized = /^(.+?)(?::([\w.-]+))?$/;

const served = "a GGUF file, org/repo[:quantization], an https:// or s3:// address, a manifest, or demo";

/** A path of this machine wins over an id that reads the same. */
export function parseTarget(text: string, accepted = served): RunTarget {
  const path = pathOf(text);
  if (text.startsWith("file://") || (!text.includes("://") && existsSync(path))) return localTarget(path);
  const [, source = text, quantization] = quantized.exec(text) ?? [];
  const [whole, uri] = [parseSourceUri(text), parseSourceUri(source)];
  if (whole.scheme === "http" || whole.scheme === "s3") return { is: "address", uri: text };
  if (uri.scheme !== "hub" || !uri.repo.includes("/") || !isInRepository(text, uri.path))
    throw new Refusal(
      `${text}: ${text.includes("://") ? "not the address of a model" : "no such file"}; name ${accepted}`,
    );
  return {
    is: "repository",
    repository: uri.repo,
    ...(uri.revision === undefined ? {} : { revision: uri.revision }),
    ...(quantization === undefined ? {} : { quantization }),
    ...(uri.path === undefined ? {} : { file: uri.path }),
  };
}

/** A file whose name is spelled like this wins over one that it is an address of: `a%20b` over `a b`. */
function pathOf(text: string): string {
  const path = resolve(text.replace(/^file:\/\//, "").replace(/^~(?=\/)/, homedir()));
  if (!text.startsWith("file://") || existsSync(path)) return path;
  const uri = parseSourceUri(text);
  return uri.scheme === "file" ? uri.path : path;
}

/** `org/repo/x.gguf` is a path of this machine; with `hf://` it is a file of a repository. */
const isInRepository = (text: string, file: string | undefined): boolean =>
  file === undefined ? !looksLikePath(text) : text.startsWith("hf://");

/** `./x`, `/x`, `~/x` and names of weights or manifests are paths, whether they exist or not. */
const looksLikePath = (text: string): boolean =>
  !text.startsWith("hf://") && (/^[./~]/.test(text) || [".gguf", ...manifestNames].includes(extname(text)));

/** Whether a text names something on this machine. */
export const isPath = (text: string): boolean =>
  text.startsWith("file://") || (!text.includes("://") && (looksLikePath(text) || existsSync(text)));

function localTarget(path: string): RunTarget {
  if (!existsSync(path)) throw new Refusal(`${path}: no such file`);
  if (manifestNames.includes(extname(path))) return { is: "manifest", path };
  if (statSync(path).isDirectory()) throw new Refusal(`${path} is a folder; name a GGUF file in it`);
  return { is: "file", path };
}

/** A name that Kubernetes takes, from a file, a repository or an address. */
export function nameFor(text: string): string {
  const bare = basename(text)
    .replace(/\.gguf$/i, "")
    .replace(/-0*1-of-\d+$/, "");
  const name = bare
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return name === "" ? "model" : name;
}

/** A name that a person chose: it becomes that of objects, and of a host. */
export function checkName(name: string): string {
  if (/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return name;
  throw new Refusal(
    `"${name}" is not a valid name (expected at most 63 lowercase letters, digits and hyphens); use --name ${nameFor(name)}`,
  );
}
