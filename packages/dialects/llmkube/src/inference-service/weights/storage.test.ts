import assert from "node:assert/strict";
import { test } from "node:test";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import { defaultOptions } from "../../options.ts";
import { engineOf } from "../pod/engines/index.ts";
import { planStorage } from "./storage.ts";

const service = { metadata: { name: "s", namespace: "n" }, spec: { modelRef: "m" } } as InferenceService;
const modelWith = (spec: Partial<Model["spec"]>): Model =>
  ({ metadata: { name: "m", namespace: "n" }, spec: { source: "file:///data/my models/a.gguf", ...spec } }) as Model;

function planFor(localFiles: "copied" | "read in place", spec: Partial<Model["spec"]> = {}) {
  const options = { ...defaultOptions, localRoots: ["/data"], localFiles };
  const engine = engineOf("llamacpp");
  assert.ok(engine);
  const planned = planStorage({ service, model: modelWith(spec), engine, options });
  assert.equal(planned.is, "planned");
  if (planned.is !== "planned") throw new Error("unreachable");
  return planned;
}

test("a file of the node is read where it lies, without a container that copies it", () => {
  const { volumes, mounts, initContainers, weights, cache } = planFor("read in place");
  assert.deepEqual(volumes, [{ name: "model-source", hostPath: { path: "/data/my models", type: "Directory" } }]);
  assert.deepEqual(mounts, [{ name: "model-source", mountPath: "/model-source", readOnly: true }]);
  assert.deepEqual([initContainers, weights, cache], [[], "/model-source/a.gguf", undefined]);
});

test("its digest is verified first where one is given", () => {
  const { initContainers } = planFor("read in place", { sha256: "0".repeat(64) });
  assert.deepEqual(
    initContainers.map(({ name }) => name),
    ["model-verifier"],
  );
});

test("on a cluster it is copied to the cache", () => {
  const { initContainers, weights } = planFor("copied");
  assert.equal(initContainers.at(-1)?.name, "model-downloader");
  assert.match(weights, /^\/models\//);
});
