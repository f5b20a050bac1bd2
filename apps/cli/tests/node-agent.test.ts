import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { AnyObject, ClusterRole, DaemonSet } from "@trivium/kube";
import { modelStoreOf, omeDefaults } from "@trivium/ome";
import { startCluster } from "@trivium/testkit";
import { parseAllDocuments } from "yaml";
import { checkEmitted } from "../../../tools/cluster/third-party/check-emitted.ts";

const folder = join(import.meta.dirname, "../../../deploy/agent");
const objectsOf = (file: string): AnyObject[] =>
  parseAllDocuments(readFileSync(join(folder, file), "utf8")).map((each) => each.toJS() as AnyObject);

test("the manifests are right to the letter, and let the agent read each kind that it follows", async (t) => {
  const cluster = await startCluster();
  t.after(() => cluster.close());
  const objects = [...objectsOf("rbac.yaml"), ...objectsOf("daemon-set.yaml")];
  const namespaced = objects.map((each) => ({ ...each, metadata: { ...each.metadata } }));
  assert.deepEqual(await checkEmitted(cluster.client, namespaced), []);
  const roles = objects.filter(({ kind }) => kind === "ClusterRole") as unknown as ClusterRole[];
  const rules = roles.flatMap((role) => role.rules ?? []).filter(({ apiGroups }) => apiGroups?.includes("ome.io"));
  assert.deepEqual(
    rules.flatMap(({ resources }) => resources ?? []).sort(),
    modelStoreOf(omeDefaults)
      .kinds.map(({ plural }) => plural)
      .sort(),
  );
  for (const { verbs } of rules) assert.deepEqual(verbs, ["get", "list", "watch"]);
  const daemons = objects.find(({ kind }) => kind === "DaemonSet") as unknown as DaemonSet;
  const [container] = daemons.spec?.template.spec?.containers ?? [];
  assert.ok(container?.args?.includes(`--models-root=${omeDefaults.modelsRoot}`));
});
