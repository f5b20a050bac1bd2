import type { ImageReference } from "@trivium/std";

/** All the ways in which people write one image, with and without registry, tag and digest. */
export function formsOf(image: ImageReference): string[] {
  const { tag, digest } = image;
  const tagged = digest === undefined ? `:${tag ?? "latest"}` : tag === undefined ? "" : `:${tag}`;
  const ends = new Set(["", tagged, digest === undefined ? tagged : `${tagged}@${digest}`]);
  if (digest !== undefined) ends.add(`@${digest}`);
  return namesOf(image).flatMap((name) => [...ends].map((end) => name + end));
}

/** Docker Hub is left out as a rule, and so is `library`, where its own images are. */
function namesOf({ registry, repository }: ImageReference): string[] {
  if (registry !== "docker.io" && registry !== "index.docker.io") return [`${registry}/${repository}`];
  const short = repository.replace(/^library\//, "");
  const paths = short.includes("/") ? [repository] : [short, `library/${short}`];
  return paths.flatMap((path) => [path, `docker.io/${path}`, `${registry}/${path}`]);
}
