/** An image's name in its parts: `ghcr.io/ggml-org/llama.cpp:server@sha256:…`. */
export interface ImageName {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const segment = "[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*";
const repository = new RegExp(`^${segment}(?:/${segment})*$`);
const host = /^(?:localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*|\[[0-9a-fA-F:]+\])(?::\d+)?$/;
const tags = /^\w[\w.-]{0,127}$/;
const digests = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const longest = 1024;

/** The parts of an image's name, or undefined where no registry would know such a name. */
export function parseImageName(text: string): ImageName | undefined {
  if (text.length > longest) return undefined;
  const [named = "", digest, ...rest] = text.split("@");
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  const [path, tag] = colon < 0 ? [named, undefined] : [named.slice(0, colon), named.slice(colon + 1)];
  const [first = "", ...more] = path.split("/");
  const hasRegistry = more.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const name = hasRegistry ? more.join("/") : path;
  if (rest.length > 0 || !repository.test(name) || (hasRegistry && !host.test(first))) return undefined;
  if ((tag !== undefined && !tags.test(tag)) || (digest !== undefined && !digests.test(digest))) return undefined;
  if (hasRegistry) return { registry: first, repository: name, tag, digest };
  return { registry: "docker.io", repository: more.length > 0 ? name : `library/${name}`, tag, digest };
}

/** All the ways in which people write one image, with and without registry, tag and digest. */
export function formsOf({ registry, repository: path, tag, digest }: ImageName): string[] {
  const isHub = registry === "docker.io" || registry === "index.docker.io";
  const names = [`${registry}/${path}`];
  if (isHub) names.push(path, `docker.io/${path}`);
  if (isHub && path.startsWith("library/")) names.push(path.slice("library/".length));
  const tagged = digest === undefined ? `:${tag ?? "latest"}` : tag === undefined ? "" : `:${tag}`;
  const ends = new Set(["", tagged, digest === undefined ? tagged : `${tagged}@${digest}`]);
  if (digest !== undefined) ends.add(`@${digest}`);
  return names.flatMap((name) => [...ends].map((end) => name + end));
}
