import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { addNodes, summarizeNodes } from "./capacity.ts";

const node = (name: string, allocatable: object, ready = "True"): AnyObject =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    status: { allocatable, conditions: [{ type: "Ready", status: ready }] },
  }) as unknown as AnyObject;
const pod = (name: string, nodeName: string | undefined, resources: object, phase = "Running"): AnyObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "a" },
    spec: { nodeName, containers: [{ resources }, {}] },
    status: { phase },
  }) as unknown as AnyObject;

const nodes = [
  node("two", { cpu: "4", memory: "8Gi" }, "False"),
  node("one", { cpu: "8", memory: "16Gi", "amd.com/gpu": "2", "nvidia.com/gpu": "1" }),
];
const pods = [
  pod("a", "one", { requests: { cpu: "500m", memory: "1Gi" }, limits: { "nvidia.com/gpu": "1", memory: "2Gi" } }),
  pod("b", "one", { requests: { cpu: "1" } }, "Succeeded"),
  pod("c", undefined, { requests: { cpu: "1" } }, "Pending"),
];

test("pods that run use their requests, and a limit where nothing is requested", () => {
  const [one, two] = summarizeNodes(nodes, pods);
  assert.deepEqual(one?.cpu, { used: 0.5, offered: 8 });
  assert.deepEqual(one?.memory, { used: 1024 ** 3, offered: 16 * 1024 ** 3 });
  assert.deepEqual(one?.gpus, { used: 1, offered: 3 });
  assert.deepEqual([one?.pods.map(({ name }) => name), two?.isReady, two?.pods], [["a"], false, []]);
});

test("all nodes together", () => {
  assert.deepEqual(addNodes(summarizeNodes(nodes, pods)).cpu, { used: 0.5, offered: 12 });
  assert.deepEqual(addNodes([]).gpus, { used: 0, offered: 0 });
});
