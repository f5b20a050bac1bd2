import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "@trivium/kube";
import { compileStages } from "./compile-stages.ts";
import { defaultStages } from "./default-stages.ts";
import type { Stage, StageTable } from "./stage.ts";

const job = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "1", controller: true };
const podOf = (metadata: Partial<Pod["metadata"]> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1", namespace: "shop", labels: { app: "web" }, ...metadata },
  spec: { containers: [] },
});
const run = (image: string, pod = podOf(), attempt = 0) =>
  ({ pod, container: { name: "main", image }, role: "main", attempt }) as const;

test("the first stage that matches gives the life, by image, names, labels, annotations and owner", () => {
  const coded = (code: number, match: NonNullable<Stage["match"]>): Stage => ({
    name: String(code),
    match,
    life: { exit: { after: "1s", code } },
  });
  const lifeOf = compileStages([
    coded(1, { image: "*/vllm:v0.*" }),
    coded(2, { image: "a.b" }),
    coded(3, { namespace: "lab" }),
    coded(4, { labels: { app: "api*" } }),
    coded(5, { annotations: { mood: "bad" } }),
    coded(6, { owner: "Job" }),
    coded(7, { role: "init" }),
    coded(8, { pod: "web-*", container: "main" }),
  ]);
  const code = (...args: Parameters<typeof run>) => lifeOf(run(...args)).exit?.code;
  assert.equal(code("example/vllm:v0.9"), 1);
  assert.equal(code("a.b"), 2);
  assert.equal(code("axb"), 8, "a dot is a dot");
  assert.equal(code("x", podOf({ namespace: "lab" })), 3);
  assert.equal(code("x", podOf({ labels: { app: "api-2" } })), 4);
  assert.equal(code("x", podOf({ annotations: { mood: "bad" } })), 5);
  assert.equal(code("x", podOf({ ownerReferences: [job] })), 6);
  assert.equal(code("x"), 8);
  assert.equal(code("x", podOf({ name: "db" })), undefined, "nothing fits: it just runs");
});

test("each restart has its life, and the last one repeats", () => {
  const exit = (code: number) => ({ exit: { after: "1s", code } });
  const lifeOf = compileStages([{ name: "lives", life: [exit(1), exit(2)] }]);
  assert.deepEqual(
    [0, 1, 2, 9].map((attempt) => lifeOf(run("x", podOf(), attempt)).exit?.code),
    [1, 2, 2, 2],
  );
});

test("without a table, pods of Jobs complete, and all others serve", () => {
  const lifeOf = compileStages(defaultStages);
  assert.equal(lifeOf(run("x", podOf({ ownerReferences: [job] }))).exit?.code, 0);
  assert.deepEqual([lifeOf(run("x")).exit, lifeOf(run("x")).ready], [undefined, 500]);
  assert.equal(lifeOf(run("x", podOf({ annotations: { "trivium.dev/stage": "never-ready" } }))).ready, "never");
});

test("a table that cannot be read says where", () => {
  const faults: [StageTable, RegExp][] = [
    [[{ name: "a", life: { pull: "soon" } }], /stage "a": pull: "soon" is not a valid duration/],
    [[{ name: "b", life: { ready: "-1s" } }], /stage "b": ready/],
    [[{ name: "c", life: { log: [{ text: "x", after: "1" }] } }], /stage "c": log\[0\].after/],
    [[{ name: "d", life: { log: [{ text: "x", every: "0s" }] } }], /stage "d": log\[0\].every must be at least/],
    [[{ name: "e", life: [] }], /stage "e" has no life/],
  ];
  for (const [table, fault] of faults) assert.throws(() => compileStages(table), fault);
});
