import { startEmbedded } from "./embedded.ts";
import type { Cluster } from "./stage.ts";

/**
 * The embedded server, or the cluster of the kubeconfig in `TRIVIUM_TEST_KUBECONFIG`: so the same scenarios show whether
 * the two answer alike.
 */
export async function startCluster(folder: string): Promise<Cluster> {
  const other = process.env.TRIVIUM_TEST_KUBECONFIG;
  if (other !== undefined) return { kubeconfig: other, isEmbedded: false, close: async () => {} };
  const { kubeconfig, close } = await startEmbedded(folder);
  return { kubeconfig, isEmbedded: true, close };
}
