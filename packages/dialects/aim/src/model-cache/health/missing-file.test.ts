import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObservedPod } from "@trivium/domain";
import { Job } from "@trivium/kube";
import { absent, type Instant, known } from "@trivium/std";
import { defaultOptions } from "../../options.ts";
import type { ModelCache, ModelCacheStatus } from "../names/names.ts";
import type { ObservedJob, ObservedModelCache } from "../observe.ts";
import { modelCacheReconciler } from "../reconciler.ts";

const options = { ...defaultOptions, localRoots: ["/data"] };
const endedAt = Date.parse("2026-11-01T12:00:00Z");

const cacheWith = (status?: ModelCacheStatus): ModelCache => ({
  apiVersion: "aim.silogen.ai/v1alpha1",
  kind: "AIMModelCache",
  metadata: { name: "foo", namespace: "team", generation: 1, uid: "u" },
  spec: { sourceUri: "file:///data/tiny.gguf", modelId: "acme/tiny" },
  ...(status === undefined ? {} : { status }),
});

const pod: ObservedPod = {
  name: "p",
  node: "a",
  phase: "Failed",
  isReady: false,
  isLeaving: false,
  containers: [
    {
      name: "model-download",
      role: "serves",
      isReady: false,
      restarts: 0,
      state: { is: "ended", exitCode: 3, reason: "Error", message: "/mnt/tiny.gguf: file or folder not found" },
    },
  ],
};

const failed: ObservedJob = { state: "failed", endedAt, pods: [pod] };

const observedWith = (measure: ObservedJob | undefined): ObservedModelCache => ({
  config: { name: "default", namespace: "team", namespaced: absent, cluster: absent },
  claim: absent,
  download: absent,
  measure: measure === undefined ? absent : known(measure),
  users: [],
});

function decide(status: ModelCacheStatus | undefined, measure: ObservedJob | undefined, now: Instant) {
  const decision = modelCacheReconciler(options).decide(cacheWith(status), observedWith(measure), now);
  assert.ok(decision.do === "converge");
  const started = decision.children.flatMap(({ kind, object, ...child }) =>
    kind === Job && !("keep" in child && child.keep === true) ? [object.metadata.name] : [],
  );
  const { conditions = [], ...rest } = decision.status as ModelCacheStatus;
  const messageOf = (wanted: string) => conditions.find(({ type }) => type === wanted)?.message;
  return { ...decision, status: decision.status as ModelCacheStatus, rest, started, messageOf };
}

const minute = 60_000;
const message = "/data/tiny.gguf not found on node a; create it, or correct spec.sourceUri; retrying automatically";

test("a file that is not on the node is looked for again until a person has put it there", () => {
  const first = decide(undefined, failed, endedAt + 1_000);
  assert.equal(first.status.status, "Failed");
  assert.equal(first.messageOf("Failure"), message);
  assert.equal(first.recheckIn, minute - 1_000);
  assert.deepEqual(first.started, []);

  const again = decide(first.status, failed, endedAt + minute);
  assert.deepEqual(again.started, ["foo-check-size-2"]);
  assert.equal(again.status.status, "Failed", "it counts as missing until it is found");
  assert.equal(again.messageOf("Failure"), message);
  assert.deepEqual(again.status.conditions, first.status.conditions);

  const running = decide(again.status, { state: "running", pods: [] }, endedAt + minute + 1_000);
  assert.deepEqual(running.status.conditions, first.status.conditions);
  assert.deepEqual(running.started, []);

  const gone = decide(again.status, undefined, endedAt + 10 * minute);
  assert.deepEqual(gone.started, ["foo-check-size-3"], "a Job that expired is started again");
});

test("attempts have no limit, and the wait between two has one", () => {
  let status: ModelCacheStatus | undefined;
  for (let attempt = 1; attempt < 20; attempt += 1) {
    const waiting = decide(status, failed, endedAt);
    assert.ok((waiting.recheckIn ?? 0) >= minute && (waiting.recheckIn ?? 0) <= 5 * minute, String(attempt));
    status = decide(waiting.status, failed, endedAt + 5 * minute).status;
    assert.equal(status.download?.attempt, attempt + 1);
  }
});

test("another source is not reported with the fault of the one before", () => {
  const { status } = decide(undefined, failed, endedAt + 1_000);
  const cache = { ...cacheWith(status), metadata: { ...cacheWith().metadata, generation: 2 } };
  const decision = modelCacheReconciler(options).decide(cache, observedWith(failed), endedAt + 2_000);
  assert.equal((decision as { status: ModelCacheStatus }).status.status, "Progressing");
});
