import { imageConfig } from "@trivium/domain";
import type { Node, Pod } from "@trivium/kube";
import { parseImageReference } from "@trivium/std";
import type { CountedAnswers } from "../gate.ts";

export interface ImageInput {
  readonly asked: CountedAnswers;
  readonly pod: Pod;
  readonly node: Node | undefined;
}

/** Why a node cannot pull an image; nothing where it can, where that is not known, and where the node runs processes. */
export async function findImageFault(image: string, { asked, pod, node }: ImageInput): Promise<string | undefined> {
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
