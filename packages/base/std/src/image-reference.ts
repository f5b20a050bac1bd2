/** Where a container image is, taken apart. */
export interface ImageReference {
  /** `docker.io` where none is written. */
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string;
  /** `sha256:` and 64 digits. */
  readonly digest?: string;
}

const label = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const host = new RegExp(`^(?:${label}(?:\\.${label})*|\\[[0-9a-f:]+\\])(?::\\d{1,5})?$`, "i");
const component = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$/;
const tagForm = /^\w[\w.-]{0,127}$/;
// Manifests are checked against this algorithm only, so an image that is pinned by another would not be pinned.
const digestForm = /^sha256:[0-9a-f]{64}$/;
const longest = 1_024;

/** Reads `[registry/]repository[:tag][@digest]`, or nothing where no registry could have such an image. */
export function parseImageReference(text: string): ImageReference | undefined {
  if (text.length > longest) return undefined;
  const [named = "", digest, ...more] = text.split("@");
  if (more.length > 0 || (digest !== undefined && !digestForm.test(digest))) return undefined;
  const { registry, rest } = splitRegistry(named);
  const colon = rest.lastIndexOf(":");
  const [repository, tag] = colon < 0 ? [rest, undefined] : [rest.slice(0, colon), rest.slice(colon + 1)];
  if (tag !== undefined && !tagForm.test(tag)) return undefined;
  if (!host.test(registry) || repository.length > 255) return undefined;
  if (!repository.split("/").every((part) => component.test(part))) return undefined;
  return {
    registry,
    repository,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** A first part with a dot or a colon is a host, and so is `localhost`; anything else is a folder of Docker Hub. */
export function splitRegistry(text: string): { registry: string; rest: string; isNamed: boolean } {
  const slash = text.indexOf("/");
  const first = slash < 0 ? "" : text.slice(0, slash);
  const isNamed = first === "localhost" || /[.:]/.test(first);
  return isNamed
    ? { registry: first, rest: text.slice(slash + 1), isNamed }
    : { registry: "docker.io", rest: text, isNamed };
}

/** What a registry is asked for: the digest where there is one, else the tag. */
export function wantedOf({ tag, digest }: ImageReference): string {
  return digest ?? tag ?? "latest";
}

/** For people and pods: without the registry that everybody means. */
export function formatImage(registry: string, repository: string, tag: string): string {
  return `${registry === "docker.io" ? "" : `${registry}/`}${repository}:${tag}`;
}
