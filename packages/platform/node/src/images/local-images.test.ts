import assert from "node:assert/strict";
import { test } from "node:test";
import { annotateImages, findLocalImage } from "./local-images.ts";
import { parseImageRows } from "./user-rows.ts";

const nodeWith = (annotations: Readonly<Record<string, string>>) => ({ metadata: { name: "n", annotations } });
const rows = parseImageRows([{ match: "ghcr.io/acme/*", command: ["serve"] }]);

test("a node that runs programs reports which images those are, of its own rules too", () => {
  const node = nodeWith(annotateImages(rows, false));
  const states = ["ghcr.io/acme/serve:1", "docker.io/vllm/vllm-openai:latest", "example.com/nope:1"].map((image) =>
    findLocalImage(node, image),
  );
  const message = 'image "example.com/nope:1" cannot run as a local process: no rule maps it to a local program';
  assert.deepEqual(states, [
    { is: "mapped" },
    { is: "mapped" },
    { is: "unmapped", reason: "ErrImageNeverPull", message },
  ]);
});

test("with a container engine any image can run, and other nodes pull", () => {
  assert.deepEqual(findLocalImage(nodeWith(annotateImages(rows, true)), "example.com/nope:1"), { is: "mapped" });
  for (const node of [nodeWith({}), nodeWith({ "trivium.dev/local-images": "{" })])
    assert.deepEqual(findLocalImage(node, "example.com/nope:1"), { is: "pulled" });
});
