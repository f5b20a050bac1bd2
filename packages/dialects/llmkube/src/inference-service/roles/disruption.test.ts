import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { absent, known } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { observeShield } from "./disruption.ts";

const shield = "karpenter.sh/do-not-disrupt";

/** Nodes `k…` are of Karpenter; every look at one is counted. */
function nodes(): { reader: Reader<typeof Node>; looks: () => number } {
  let looks = 0;
  const getPart = (_: unknown, { name }: { name: string }, part: Part<Node, unknown>) => {
    looks += 1;
    const labels: Record<string, string> = name.startsWith("k") ? { "karpenter.sh/nodepool": "default" } : {};
    const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
    return name === "gone" ? absent : known(part.of(node));
  };
  return { reader: { getPart } as unknown as Reader<typeof Node>, looks: () => looks };
}

const service = (spec: Partial<InferenceService["spec"]> = {}) => ({ spec }) as InferenceService;
const pod = (nodeName: string | undefined, isReady: boolean, annotations: Record<string, string> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", annotations },
  spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
  status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
});

test("only pods that start on a node of Karpenter are protected", () => {
  const { reader } = nodes();
  assert.deepEqual(observeShield(service(), pod("k1", false), reader), { shield: "wanted" });
  for (const node of ["plain", "gone", undefined])
    assert.deepEqual(observeShield(service(), pod(node, false), reader), {});
});

test("a pod that is ready gives its protection back, and no node is looked at for it", () => {
  const { reader, looks } = nodes();
  assert.deepEqual(observeShield(service(), pod("k1", true, { [shield]: "true" }), reader), { shield: "spent" });
  assert.deepEqual(observeShield(service(), pod("k1", true), reader), {});
  assert.equal(looks(), 0);
});

test("whoever wants none, or has it for ever, is left alone", () => {
  const { reader } = nodes();
  const starting = pod("k1", false);
  assert.deepEqual(observeShield(service({ disruption: { protectStartup: false } }), starting, reader), {});
  assert.deepEqual(observeShield(service({ disruption: { protectAlways: true } }), starting, reader), {});
  assert.deepEqual(
    observeShield(service({ podAnnotations: { [shield]: "true" } }), pod("k1", true, { [shield]: "true" }), reader),
    {},
  );
});
