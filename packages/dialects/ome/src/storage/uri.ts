/** Where files are, as `storage.storageUri` says it. */
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
  | { readonly scheme: "local"; readonly path: string };

export type ParsedUri = StorageUri | { readonly scheme: "invalid"; readonly why: string };

const invalid = (why: string): ParsedUri => ({ scheme: "invalid", why });
const longest = 4096;

/** Total: whatever stands there, the answer says what it means or what is wrong with it. */
export function parseStorageUri(text: string): ParsedUri {
  if (text === "") return invalid("must not be empty");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach a path or a message.
  if (text.length > longest || /[\u0000-\u001f\u007f]/.test(text))
    return invalid("must have at most 4096 printable characters");
  const [, scheme = "", rest = ""] = /^([a-z0-9]+):\/\/(.*)$/.exec(text) ?? [];
  const parse = Object.hasOwn(parsers, scheme) ? parsers[scheme] : undefined;
  if (parse === undefined) return invalid(`unknown storage type (expected ${known})`);
  const parsed = parse(rest);
  return hasSteps(parsed) ? invalid("paths must not contain . or .. segments") : parsed;
}

const parsers: Readonly<Record<string, (rest: string) => ParsedUri>> = {
  oci: parseOci,
  pvc: parsePvc,
  vendor: parseVendor,
  hf: parseHub,
  s3: parseS3,
  az: parseAzure,
  gs: parseGoogle,
  github: parseGithub,
  local: (rest) =>
    rest === ""
      ? invalid("expected local:///path/on/the/node")
      : { scheme: "local", path: rest.startsWith("/") ? rest : `/${rest}` },
};
const known = Object.keys(parsers)
  .map((scheme) => `${scheme}://`)
  .join(", ");

function parseOci(rest: string): ParsedUri {
  const [n, namespace, b, bucket, o, ...prefix] = rest.split("/");
  if (n !== "n" || b !== "b" || o !== "o" || !namespace || !bucket || prefix.length === 0)
    return invalid("expected oci://n/{namespace}/b/{bucket}/o/{path}");
  return { scheme: "oci", namespace, bucket, prefix: prefix.join("/") };
}

const dnsName = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const namespaceName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function parsePvc(rest: string): ParsedUri {
  const at = rest.indexOf("/");
  const [place, path] = at === -1 ? [rest, ""] : [rest.slice(0, at), rest.slice(at + 1).replace(/\/+$/, "")];
  const words = place.split(":");
  const claim = words.at(-1) ?? "";
  const namespace = words.length === 2 ? words[0] : undefined;
  const isNamespaceGood = words.length === 1 || (words.length === 2 && namespaceName.test(namespace ?? ""));
  if (!isNamespaceGood || !dnsName.test(claim) || path === "")
    return invalid("expected pvc://{claim}/{path} or pvc://{namespace}:{claim}/{path}");
  return { scheme: "pvc", namespace, claim, path };
}

function parseVendor(rest: string): ParsedUri {
  const [vendor, type, ...path] = rest.split("/");
  if (!vendor || !type || path.join("/") === "") return invalid("expected vendor://{vendor}/{type}/{path}");
  return { scheme: "vendor", vendor, type, path: path.join("/") };
}

function parseHub(rest: string): ParsedUri {
  const at = rest.indexOf("@");
  const [model, revision] = at === -1 ? [rest, "main"] : [rest.slice(0, at), rest.slice(at + 1)];
  if (model === "" || revision === "") return invalid("expected hf://{model}[@{revision}]");
  return { scheme: "hf", model, revision };
}

function parseS3(rest: string): ParsedUri {
  const [place = "", ...prefix] = rest.split("/");
  const [bucket, region, more] = place.split("@");
  if (!bucket || region === "" || more !== undefined) return invalid("expected s3://{bucket}[@{region}]/{prefix}");
  return { scheme: "s3", bucket, region, prefix: prefix.join("/") };
}

function parseAzure(rest: string): ParsedUri {
  const [host = "", container, ...path] = rest.split("/");
  const account = host.replace(/\.blob\.core\.windows\.net$/, "");
  if (account === "" || !container) return invalid("expected az://{account}/{container}/{path}");
  return { scheme: "az", account, container, path: path.join("/") };
}

function parseGoogle(rest: string): ParsedUri {
  const [bucket, ...path] = rest.split("/");
  return bucket ? { scheme: "gs", bucket, path: path.join("/") } : invalid("expected gs://{bucket}/{object}");
}

function parseGithub(rest: string): ParsedUri {
  const [, owner, repository, tag = "latest"] = /^([^/@]+)\/([^/@]+)(?:@([^@]+))?$/.exec(rest) ?? [];
  if (owner === undefined || repository === undefined) return invalid("expected github://{owner}/{repository}[@{tag}]");
  return { scheme: "github", owner, repository, tag };
}

/** No part of what becomes a path may lead out of its folder. */
function hasSteps(uri: ParsedUri): boolean {
  const path = "path" in uri ? uri.path : "prefix" in uri ? uri.prefix : "";
  return path.split("/").some((word) => word === "." || word === "..");
}
