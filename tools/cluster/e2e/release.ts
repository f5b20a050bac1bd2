import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { keySecret } from "./gateway.ts";
import { type RealCluster, thisCheckout } from "./installed.ts";

/** Where the chart is installed. */
export const namespace = "trivium-system";

/** Creates or changes objects of all kinds. */
export const applyAll = ({ kubectl }: RealCluster, objects: readonly object[]): Promise<string> =>
  kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));

/** The namespace, in which only pods of level restricted start, and in it the keys for clients of the gateway. */
export async function createNamespace(cluster: RealCluster): Promise<void> {
  await cluster.kubectl(["create", "namespace", namespace]);
  await cluster.kubectl(["label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted"]);
  await applyAll(cluster, [keySecret(namespace)]);
}

/** Installs or upgrades the two charts of a checkout, and resolves when all pods are ready. */
export async function release(
  { helm, folder }: RealCluster,
  verb: "install" | "upgrade",
  values: object,
  checkout = thisCheckout,
): Promise<void> {
  const file = join(folder, "values.json");
  writeFileSync(file, JSON.stringify(values));
  const charts = join(checkout, "deploy/charts");
  await helm(verb, "trivium-crds", join(charts, "trivium-crds"));
  const place = ["--namespace", namespace, "--values", file, "--wait", "--timeout=5m"];
  await helm(verb, "trivium", join(charts, "trivium"), ...place);
}
