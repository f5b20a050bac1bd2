import assert from "node:assert/strict";
import { test } from "node:test";
import { downloadFile, listFiles, modelInfo } from "@huggingface/hub";
import { HubServer } from "@trivium/testkit";
import { bytes, mebibyte } from "./stage.ts";

test("the official JavaScript client takes our stand-in for a hub: commit, tree in pages, files, refusals", async (t) => {
  const hub = await new HubServer().listen();
  t.after(() => hub.close());
  const weights = bytes(mebibyte);
  hub.pageSize = 1;
  hub.files.set("config.json", { content: Buffer.from('{"a":1}'), isLarge: false });
  hub.files.set("sub/model 1.safetensors", { content: weights, isLarge: true });
  const at = { hubUrl: hub.endpoint, accessToken: hub.goodToken };
  const info = await modelInfo({ ...at, name: "org/repo", additionalFields: ["sha"] });
  assert.equal(info.sha, hub.commit);
  const listed = [];
  for await (const each of listFiles({ ...at, repo: "org/repo", recursive: true })) listed.push(each);
  assert.deepEqual(
    listed.filter(({ type }) => type === "file").map(({ path, size, lfs }) => [path, size, lfs?.size]),
    [
      ["config.json", 7, undefined],
      ["sub/model 1.safetensors", mebibyte, mebibyte],
    ],
  );
  const blob = await downloadFile({ ...at, repo: "org/repo", path: "sub/model 1.safetensors", revision: hub.commit });
  assert.ok(Buffer.from((await blob?.arrayBuffer()) ?? new ArrayBuffer(0)).equals(weights));
  assert.equal(await downloadFile({ ...at, repo: "org/repo", path: "none" }), null);
  hub.access = "private";
  await assert.rejects(modelInfo({ hubUrl: hub.endpoint, name: "org/repo" }), { statusCode: 401 });
});
