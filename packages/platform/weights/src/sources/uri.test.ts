import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { WeightsError } from "../fault.ts";
import { parseModelUri } from "./uri.ts";

test("each scheme is read", () => {
  const cases: [string, object][] = [
    ["org/repo", { scheme: "hub", repo: "org/repo", revision: "main", path: undefined }],
    ["hf://org/repo@v1.0/sub/m.gguf", { scheme: "hub", repo: "org/repo", revision: "v1.0", path: "sub/m.gguf" }],
    ["hf://org/repo@refs%2Fpr%2F1", { scheme: "hub", repo: "org/repo", revision: "refs/pr/1", path: undefined }],
    ["hf://org/repo/", { scheme: "hub", repo: "org/repo", revision: "main", path: undefined }],
    ["s3://bucket", { scheme: "s3", bucket: "bucket", key: "" }],
    ["s3://bucket/a/b c+d.bin", { scheme: "s3", bucket: "bucket", key: "a/b c+d.bin" }],
    ["/models/x", { scheme: "file", path: "/models/x" }],
    ["file:///models/a%20b", { scheme: "file", path: "/models/a b" }],
    ["http://h/x?sig=1", { scheme: "http", url: new URL("http://h/x?sig=1") }],
    ["oci://reg.io:5000/a/b:v1", { scheme: "registry", host: "reg.io:5000", repo: "a/b", reference: "v1" }],
    ["oci://reg.io/a", { scheme: "registry", host: "reg.io", repo: "a", reference: "latest" }],
    ["oci://n/ns/b/bk/o/x/y z", { scheme: "oci-object", namespace: "ns", bucket: "bk", path: "x/y z" }],
    ["oci://n/ns/b/bk/o", { scheme: "oci-object", namespace: "ns", bucket: "bk", path: "" }],
    ["oci://n/ns/b/bk/o/m/", { scheme: "oci-object", namespace: "ns", bucket: "bk", path: "m/" }],
    ["pvc://claim/a/b", { scheme: "pvc", namespace: undefined, claim: "claim", path: "a/b" }],
    ["pvc://team:my-claim/a/", { scheme: "pvc", namespace: "team", claim: "my-claim", path: "a" }],
    ["vendor://acme/x?y", { scheme: "vendor", vendor: "acme", text: "vendor://acme/x?y" }],
    ["gs://bucket/x", { scheme: "other", name: "gs", text: "gs://bucket/x" }],
  ];
  for (const [text, parsed] of cases) assert.deepEqual(parseModelUri(text), parsed, text);
});

test("what is no URI is refused with a reason, and a password is not repeated", () => {
  const bad = [
    "",
    "justaname",
    "a/b/../../c",
    "hf://org/repo/../../x",
    "hf://org/re%po/a",
    "hf://o/r@../x",
    "hf://o/r/%2e%2e/x",
  ];
  for (const text of [
    ...bad,
    "s3://B/x",
    "s3://ab",
    "oci://reg",
    "oci://reg.io/A",
    "oci://reg.io/../x",
    "s3://bucket/../x",
    "oci://n/ns/b/bk/x",
    "oci://n/ns/b/bk/o/../x",
    "pvc://claim",
    "pvc://claim/",
    "pvc://claim/../x",
    "pvc://Claim/x",
    "pvc:///x",
    "vendor://",
    "file://host/x",
    "hf://o/r/a%00b",
    "a\nb/c",
    "../x/y",
  ]) {
    assert.throws(() => parseModelUri(text), { name: "WeightsError", kind: "refused" }, text);
  }
  assert.throws(
    () => parseModelUri("https://user:hunter2@host/x"),
    (error) => error instanceof WeightsError && !error.message.includes("hunter2"),
  );
});

test("any text is either read or refused, never worse", () => {
  const text = fc.oneof(
    fc.string(),
    fc
      .tuple(
        fc.constantFrom("hf://", "s3://", "http://", "file://", "oci://", "oci://n/", "pvc://", "vendor://", "", "/"),
        fc.string({ unit: "binary" }),
      )
      .map((p) => p.join("")),
  );
  fc.assert(
    fc.property(text, (given) => {
      try {
        parseModelUri(given);
      } catch (error) {
        assert.ok(error instanceof WeightsError, String(error));
      }
    }),
    { numRuns: 3000 },
  );
});
