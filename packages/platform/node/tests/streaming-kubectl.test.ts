import assert from "node:assert/strict";
import { test } from "node:test";
import { findKubectls } from "./find-kubectls.ts";
import { testStreaming } from "./streaming-suite.ts";

// Older ones are tried beside the cluster, in streaming-kubectls.cluster.ts.
const [newest] = findKubectls();

test("kubectl is on this machine", { skip: newest === undefined && "there is no kubectl" }, () => {
  assert.ok(newest !== undefined);
});

if (newest !== undefined) testStreaming(newest);
