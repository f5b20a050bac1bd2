import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatFileUri, formatHubUri, parseSourceUri, type SourceUri, showUri } from "./source-uri.ts";

const hub = (repo: string, revision?: string, path?: string): SourceUri => ({ scheme: "hub", repo, revision, path });

const good: readonly (readonly [string, SourceUri])[] = [
  ["org/repo", hub("org/repo")],
  ["hf://gpt2", hub("gpt2")],
  ["hf://gpt2@v1.0", hub("gpt2", "v1.0")],
  ["hf://org/repo@v1.0/sub/m.gguf", hub("org/repo", "v1.0", "sub/m.gguf")],
  ["HF://org/repo", hub("org/repo")],
  ["hf://org/repo@refs%2Fpr%2F1", hub("org/repo", "refs/pr/1")],
  ["hf://org/repo/", hub("org/repo")],
  ["s3://bucket", { scheme: "s3", bucket: "bucket", region: undefined, key: "" }],
  ["s3://bucket/a/b c+d.bin", { scheme: "s3", bucket: "bucket", region: undefined, key: "a/b c+d.bin" }],
  ["s3://bucket@eu-west-1/a/", { scheme: "s3", bucket: "bucket", region: "eu-west-1", key: "a/" }],
  ["/models/x", { scheme: "file", path: "/models/x" }],
  ["file:///models/a%20b", { scheme: "file", path: "/models/a b" }],
  ["http://h/x?sig=1#part", { scheme: "http", url: "http://h/x?sig=1" }],
  ["oci://reg.io:5000/a/b:v1", { scheme: "registry", host: "reg.io:5000", repo: "a/b", reference: "v1" }],
  ["oci://reg.io/a", { scheme: "registry", host: "reg.io", repo: "a", reference: "latest" }],
  ["oci://n/ns/b/bk/o/x/y z", { scheme: "oci-object", namespace: "ns", bucket: "bk", path: "x/y z" }],
  ["oci://n/ns/b/bk/o", { scheme: "oci-object", namespace: "ns", bucket: "bk", path: "" }],
  ["pvc://claim/a/b", { scheme: "pvc", namespace: undefined, claim: "claim", path: "a/b" }],
  ["pvc://team:my-claim/a//", { scheme: "pvc", namespace: "team", claim: "my-claim", path: "a" }],
  ["vendor://acme/llm/x", { scheme: "vendor", vendor: "acme", path: "llm/x" }],
  ["az://account.blob.core.windows.net/c/a", { scheme: "azure", account: "account", container: "c", path: "a" }],
  ["gs://bucket/object", { scheme: "google", bucket: "bucket", path: "object" }],
  ["github://owner/repo@v2", { scheme: "github", owner: "owner", repository: "repo", tag: "v2" }],
  ["local://models/a", { scheme: "local", path: "/models/a" }],
  ["ftp://host/x", { scheme: "other", name: "ftp" }],
  ["constructor://x", { scheme: "other", name: "constructor" }],
];
for (const [text, parsed] of good) test(text, () => assert.deepEqual(parseSourceUri(text), parsed));

const bad: readonly string[] = [
  "",
  "justaname",
  "a/b/../../c",
  "../x/y",
  "a\nb/c",
  "hf://",
  "hf://model@",
  "hf://org/repo/../../x",
  "hf://org/re%po/a",
  "hf://o/r@../x",
  "hf://o/r/%2e%2e/x",
  "hf://o/r/a%00b",
  "hf://o--r/x",
  "s3:///x",
  "s3://bucket@/a",
  "s3://bucket/../x",
  "oci://reg",
  "oci://reg.io/A",
  "oci://n/ns/b/bk/x",
  "oci://n/ns/b/bk/o/../x",
  "pvc://claim",
  "pvc://claim/",
  "pvc://claim//x",
  "pvc://claim/../x",
  "pvc://Claim/x",
  "pvc://a:b:claim/a",
  "pvc:///x",
  "vendor://",
  "az://account",
  "gs://",
  "gs://b/../x",
  "github://owner/repo/more",
  "local://",
  "local:///mnt/../etc",
  "file://host/x",
  "http://",
  `hf://${"x".repeat(5000)}`,
];
for (const text of bad)
  test(`${JSON.stringify(text.slice(0, 40))} is not valid`, () => assert.equal(parseSourceUri(text).scheme, "invalid"));

test("credentials are neither accepted nor shown", () => {
  const found = parseSourceUri("https://user:hunter2@host/x?sig=secret");
  assert.equal(found.scheme, "invalid");
  assert.ok(!JSON.stringify(found).includes("hunter2") && !JSON.stringify(found).includes("secret"));
  assert.equal(showUri("https://u:p@h/x?sig=1"), "https://h/x");
  assert.equal(showUri("ftp://user:hun@ter2@host/x"), "ftp://host/x");
  for (const plain of [
    "hf://o/r",
    "hf://r@main:x@y",
    "s3://b@region/k",
    "pvc://team:claim/a@b",
    "oci://h:5000/r@sha256:0",
  ])
    assert.equal(showUri(plain), plain);
  assert.ok(!JSON.stringify(parseSourceUri("https://user:hunter2@host/\n")).includes("hunter2"));
});

test("any text is parsed or not valid, and no path leads out of its folder", () => {
  const schemes = "hf:// s3:// http:// file:// oci:// oci://n/ pvc:// vendor:// az:// gs:// github:// local://".split(
    " ",
  );
  const text = fc
    .tuple(fc.constantFrom(...schemes, "", "/"), fc.oneof(fc.string(), fc.string({ unit: "binary" })))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (given) => {
      const uri = parseSourceUri(given);
      const path = uri.scheme === "file" || uri.scheme === "vendor" || !("path" in uri) ? "" : (uri.path ?? "");
      assert.ok(!path.split("/").includes(".."), given);
    }),
    { numRuns: 3000 },
  );
});

test("what is formatted is read back", () => {
  for (const place of [
    { repo: "o/r", revision: undefined, path: undefined },
    { repo: "o/r", revision: "refs/pr/1", path: "a b/100%.gguf" },
    { repo: "o/r", revision: "v1%2F", path: undefined },
  ])
    assert.deepEqual(parseSourceUri(formatHubUri(place)), { scheme: "hub", ...place });
  for (const path of ["/mnt/m.gguf", "/mnt/100%/a b#1?.gguf"])
    assert.deepEqual(parseSourceUri(formatFileUri(path)), { scheme: "file", path });
});
