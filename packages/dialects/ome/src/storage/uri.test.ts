import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ParsedUri, parseStorageUri } from "./uri.ts";

const good: readonly (readonly [string, ParsedUri])[] = [
  ["oci://n/ns/b/bucket/o/a/b", { scheme: "oci", namespace: "ns", bucket: "bucket", prefix: "a/b" }],
  ["oci://n/ns/b/bucket/o/", { scheme: "oci", namespace: "ns", bucket: "bucket", prefix: "" }],
  ["oci://reg.example/a/b:v1", { scheme: "registry", host: "reg.example", repo: "a/b", reference: "v1" }],
  ["oci://reg:5000/a", { scheme: "registry", host: "reg:5000", repo: "a", reference: "latest" }],
  ["pvc://claim/models/llama", { scheme: "pvc", namespace: undefined, claim: "claim", path: "models/llama" }],
  ["pvc://team:claim/llama/", { scheme: "pvc", namespace: "team", claim: "claim", path: "llama" }],
  ["vendor://acme/llm/a/b", { scheme: "vendor", vendor: "acme", type: "llm", path: "a/b" }],
  ["hf://meta-llama/Llama-3", { scheme: "hf", model: "meta-llama/Llama-3", revision: "main" }],
  ["hf://gpt2@v1.0", { scheme: "hf", model: "gpt2", revision: "v1.0" }],
  ["s3://bucket/a/b", { scheme: "s3", bucket: "bucket", region: undefined, prefix: "a/b" }],
  ["s3://bucket@eu-west-1/a", { scheme: "s3", bucket: "bucket", region: "eu-west-1", prefix: "a" }],
  ["az://account/container/a", { scheme: "az", account: "account", container: "container", path: "a" }],
  ["az://account.blob.core.windows.net/c/a", { scheme: "az", account: "account", container: "c", path: "a" }],
  ["gs://bucket/object", { scheme: "gs", bucket: "bucket", path: "object" }],
  ["github://owner/repo", { scheme: "github", owner: "owner", repository: "repo", tag: "latest" }],
  ["github://owner/repo@v2", { scheme: "github", owner: "owner", repository: "repo", tag: "v2" }],
  ["local:///mnt/models/a", { scheme: "local", path: "/mnt/models/a" }],
  ["file:///mnt/models/a%20b.gguf", { scheme: "local", path: "/mnt/models/a b.gguf" }],
  ["local://models/a", { scheme: "local", path: "/models/a" }],
];

const bad = [
  "",
  "hf",
  "hf://",
  "hf://model@",
  "HF://model",
  "ftp://x/y",
  "/mnt/models",
  "oci://ns/b/bucket/o/a",
  "oci://registry.example",
  "oci://registry.example/../x",
  "oci://n/ns/b/bucket",
  "oci://n/ns/b/bucket/o",
  "oci://n//b/bucket/o/a",
  "oci://n/ns/c/bucket/o/a",
  "pvc://claim",
  "pvc://claim/",
  "pvc://:claim/a",
  "pvc://a:b:claim/a",
  "pvc://Team:claim/a",
  "pvc://claim/../../etc",
  "vendor://acme/llm",
  "vendor://acme//a",
  "s3://",
  "s3:///a",
  "s3://bucket@/a",
  "s3://a@b@c/d",
  "az://account",
  "az:///c/a",
  "gs://",
  "github://owner",
  "github://owner/repo/more",
  "local://",
  "local:///mnt/../etc",
  "file://",
  "file:///",
  "file://host/x",
  "file:///mnt/..%2Fetc",
  "hf://model\nid",
  `hf://${"x".repeat(5000)}`,
  "constructor://x",
];

test("every scheme of the grammar", () => {
  for (const [text, uri] of good) assert.deepEqual(parseStorageUri(text), uri, text);
});

test("what is no address says what was expected", () => {
  for (const text of bad) assert.equal(parseStorageUri(text).scheme, "invalid", text);
});

test("no text is too odd", () => {
  const scheme = fc.constantFrom(
    "oci://",
    "pvc://",
    "vendor://",
    "hf://",
    "s3://",
    "az://",
    "gs://",
    "github://",
    "local://",
    "file://",
    "",
  );
  fc.assert(
    fc.property(scheme, fc.string({ maxLength: 60 }), (head, tail) => {
      const uri = parseStorageUri(head + tail);
      assert.ok(!("path" in uri) || !uri.path.split("/").includes(".."));
    }),
  );
});
