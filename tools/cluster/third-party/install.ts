import type { CustomResourceDefinition, KubeClient } from "@trivium/kube";
import { installDefinitions } from "../install-definitions.ts";
import { thirdPartyApiDefinitions } from "./definitions.ts";

/** Gives a cluster the CRDs of other projects and resolves when it serves them all. */
export async function installThirdPartyApis(
  client: KubeClient,
  print: (line: string) => void = () => {},
): Promise<readonly CustomResourceDefinition[]> {
  const definitions = thirdPartyApiDefinitions(print);
  await installDefinitions(client, definitions);
  return definitions;
}
