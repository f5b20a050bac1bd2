import assert from "node:assert/strict";
import { test } from "node:test";
import { type KubeClient, Namespace, Pod } from "@trivium/kube";
import { scopedClient } from "./scoped-client.ts";

test("lists and watches see one namespace; what is cluster-wide, and what names its own, stays", () => {
  const asked: unknown[] = [];
  const note = (kind: { kind: string }, options: unknown) => {
    asked.push([kind.kind, options]);
    return {} as never;
  };
  const client = scopedClient({ list: note, watch: note } as unknown as KubeClient, "team");
  void client.list(Pod);
  client.watch(Pod, { resourceVersion: "7" });
  void client.list(Namespace, { limit: 1 });
  void client.list(Pod, { namespace: "other" });
  assert.deepEqual(asked, [
    ["Pod", { namespace: "team" }],
    ["Pod", { namespace: "team", resourceVersion: "7" }],
    ["Namespace", { limit: 1 }],
    ["Pod", { namespace: "other" }],
  ]);
});
