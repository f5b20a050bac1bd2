import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject, DefinedKind, KubeClient } from "@trivium/kube";
import { plainStatusGuide } from "@trivium/reconcile";
import { findUsed } from "./used.ts";

test("what an object of the cluster names without a namespace is missing, and nothing is asked for", async () => {
  const kind = { group: "ome.io", version: "v1beta1", kind: "ClusterBaseModel", namespaced: false } as DefinedKind;
  const object: AnyObject = { apiVersion: "ome.io/v1beta1", kind: kind.kind, metadata: { name: "anywhere" } };
  const claim = { kinds: ["PersistentVolumeClaim"], name: "weights" };
  const asked: unknown[] = [];
  const client = { get: async (_: unknown, ref: unknown) => asked.push(ref) } as unknown as KubeClient;
  const guideOf = () => ({ ...plainStatusGuide, uses: () => [claim] });
  assert.deepEqual(await findUsed(client, object, { kind, kinds: [kind], guideOf }), {
    uses: [],
    missing: [claim],
    behind: [],
  });
  assert.deepEqual(asked, []);
});
