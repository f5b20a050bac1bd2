import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultOptions } from "../../options.ts";
import { noSettings } from "../../runtime-config/settings/merge-settings.ts";
import type { ModelCache } from "../names/names.ts";
import { planDownload, planMeasure } from "./jobs.ts";
import { localSourceOf, storedBytes } from "./local-source.ts";

const options = { ...defaultOptions, localRoots: ["/opt/trivium/models", "/data"] };
const cacheOf = (sourceUri: string, env?: { name: string; value: string }[]): ModelCache => ({
  apiVersion: "aim.silogen.ai/v1alpha1",
  kind: "AIMModelCache",
  metadata: { name: "weights", namespace: "team-a" },
  spec: { sourceUri, ...(env === undefined ? {} : { env }) },
});

test("a file on the node is copied from the allowed directory, and the Job sees nothing else", () => {
  const cache = cacheOf("file:///opt/trivium/models/demo.gguf", [{ name: "TRIVIUM_WEIGHTS_ROOTS", value: "/" }]);
  const input = { cache, claimName: "foo-cache", observed: {}, settings: noSettings, options, attempt: 1 };
  for (const { pod } of [planDownload(input), planMeasure(input)]) {
    const [container] = pod.spec.containers;
    assert.equal(container?.args?.[1], "/opt/trivium/models/demo.gguf");
    assert.deepEqual(
      container?.env?.filter(({ name }) => name === "TRIVIUM_WEIGHTS_ROOTS"),
      [{ name: "TRIVIUM_WEIGHTS_ROOTS", value: "/opt/trivium/models" }],
    );
    const local = { name: "local", mountPath: "/opt/trivium/models", readOnly: true };
    assert.deepEqual(container?.volumeMounts?.at(-1), local);
    const volume = { name: "local", hostPath: { path: "/opt/trivium/models", type: "Directory" } };
    assert.deepEqual(pod.spec.volumes?.at(-1), volume);
  }
});

test("the allowed directory of a source is found by its whole path", () => {
  const rootOf = (uri: string): string | undefined => localSourceOf(cacheOf(uri), options)?.root;
  assert.equal(rootOf("file:///data/x"), "/data");
  assert.equal(rootOf("file:///data"), "/data");
  for (const uri of ["file:///data/../etc/passwd", "file:///database/x", "file:///", "file:////etc//shadow"])
    assert.equal(rootOf(uri), undefined, uri);
  assert.equal(localSourceOf(cacheOf("hf://acme/foo"), options), undefined);
});

test("where pods see the disk, the cache links to the file and its claim needs no space for it", () => {
  const cache = {
    ...cacheOf("file:///data/large.gguf"),
    spec: { sourceUri: "file:///data/large.gguf", size: "300Gi" },
  };
  const input = { claimName: "foo-cache", observed: {}, settings: noSettings, attempt: 1 };
  const argsOf = (given: ModelCache, localFiles: "copied" | "linked") =>
    planDownload({ ...input, cache: given, options: { ...options, localFiles } }).pod.spec.containers[0]?.args;
  assert.deepEqual(argsOf(cache, "linked"), ["fetch", "/data/large.gguf", "--to", "/cache", "--json", "--link"]);
  assert.ok(!argsOf(cache, "copied")?.includes("--link"));
  const bytes = 300n * 1024n ** 3n;
  assert.equal(storedBytes(cache, { ...options, localFiles: "linked" }, bytes), 0n);
  assert.equal(storedBytes(cache, options, bytes), bytes);
  const other = { ...cache, spec: { ...cache.spec, modelDownloadImage: "example.com/own:1" } };
  assert.deepEqual(argsOf(other, "linked"), ["/data/large.gguf", "/cache"], "an image of others is called as before");
  assert.equal(storedBytes(other, { ...options, localFiles: "linked" }, bytes), bytes);
  const hub = cacheOf("hf://acme/foo");
  assert.equal(storedBytes(hub, { ...options, localFiles: "linked" }, bytes), bytes);
});
