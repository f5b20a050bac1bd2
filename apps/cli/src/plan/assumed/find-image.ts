import { imageConfig } from "@trivium/domain";
import { Node, Pod } from "@trivium/kube";
import { findLocalImage } from "@trivium/local";
import { parseImageReference, wantedOf } from "@trivium/std";
import type { PlannedObject } from "../difference.ts";
import { type CountedAnswers, placeOf } from "../gate.ts";

export interface ImageInput {
  readonly asked: CountedAnswers;
  readonly pod: Pod;
  readonly node: Node | undefined;
}

/** As a container that waits for its image reports it. */
export interface ImageFault {
  readonly reason: string;
  readonly message: string;
}

/** Why a node cannot run an image; nothing where it can, and where that is not known. */
export async function findImageFault(image: string, input: ImageInput): Promise<ImageFault | undefined> {
  const local = input.node === undefined ? undefined : findLocalImage(input.node, image);
  if (local?.is === "unmapped") return { reason: local.reason, message: local.message };
  if (local?.is === "mapped") return undefined;
  const message = await findPullFault(image, input);
  return message === undefined ? undefined : { reason: "ErrImagePull", message };
}

async function findPullFault(image: string, { asked, pod, node }: ImageInput): Promise<string | undefined> {
  const {
    containerRuntimeVersion = "",
    operatingSystem = "linux",
    architecture = "amd64",
  } = node?.status?.nodeInfo ?? {};
  if (containerRuntimeVersion === "" || containerRuntimeVersion.startsWith("process://")) return undefined;
  const parsed = parseImageReference(image);
  if (parsed === undefined) return `couldn't parse image name "${image}": invalid reference format`;
  const { registry, repository, tag = "latest", digest } = parsed;
  const secrets = (pod.spec?.imagePullSecrets ?? []).flatMap(({ name }) =>
    name === undefined ? [] : [{ name, version: "" }],
  );
  const found = await asked.find(imageConfig, {
    registry,
    repository,
    reference: digest ?? tag,
    platform: `${operatingSystem}/${architecture}`,
    logins: { namespace: pod.metadata.namespace ?? "", secrets },
  });
  return found !== undefined && "is" in found && found.is === "refused" ? found.why : undefined;
}

/** Images of placed pods that their nodes run as local programs, as they are asked about: no registry decides whether those start. */
export function findLocalImages(objects: readonly PlannedObject[]): Set<string> {
  const all = <T>({ kind }: { kind: string }): T[] =>
    objects.flatMap((one) => (one.kind.kind === kind ? [one.object as T] : []));
  const nodes = new Map(all<Node>(Node).map((node) => [node.metadata.name, node]));
  const images = all<Pod>(Pod).flatMap(({ spec }) => {
    const node = nodes.get(spec?.nodeName);
    const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
    return containers.filter(({ image = "" }) => node !== undefined && findLocalImage(node, image).is === "mapped");
  });
  return new Set(
    images.flatMap(({ image = "" }) => {
      const parsed = parseImageReference(image);
      return parsed === undefined ? [] : [placeOf({ ...parsed, reference: wantedOf(parsed) })];
    }),
  );
}
