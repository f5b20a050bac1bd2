import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSource, type Source } from "./source.ts";

const remote = (url: string, uri = url): Source => ({ is: "remote", url, uri });
const repository = (name: string, revision?: string): Source => ({
  is: "repository",
  repository: name,
  ...(revision === undefined ? {} : { revision }),
});

const table: readonly [string, Source | "faulty"][] = [
  ["pvc://claim/p/m.gguf", { is: "claim", claim: "claim", path: "p/m.gguf" }],
  ["pvc://claim", "faulty"],
  ["pvc:///p", "faulty"],
  ["pvc://", "faulty"],
  ["pvc://claim/../x", "faulty"],
  ["pvc://claim//x", "faulty"],
  ["pvc://team:claim/x", "faulty"],
  ["pvc://Claim/x", "faulty"],
  ["pvc://claim/a//b", "faulty"],
  ["file:///mnt/m.gguf", { is: "local", path: "/mnt/m.gguf" }],
  ["FILE:///mnt/m.gguf", { is: "local", path: "/mnt/m.gguf" }],
  ["file://host/m.gguf", "faulty"],
  ["/mnt/m.gguf", { is: "local", path: "/mnt/m.gguf" }],
  ["https://h/m.gguf", remote("https://h/m.gguf")],
  ["http://", "faulty"],
  [
    "https://huggingface.co/o/r/resolve/main/x.gguf",
    remote("https://huggingface.co/o/r/resolve/main/x.gguf", "hf://o/r@main/x.gguf"),
  ],
  [
    "https://HuggingFace.co/o/r/blob/main/d/x.gguf",
    remote("https://HuggingFace.co/o/r/resolve/main/d/x.gguf", "hf://o/r@main/d/x.gguf"),
  ],
  [
    "https://huggingface.co/o/r/resolve/refs%2Fpr%2F1/x.gguf?download=true",
    remote("https://huggingface.co/o/r/resolve/refs%2Fpr%2F1/x.gguf?download=true", "hf://o/r@refs%2Fpr%2F1/x.gguf"),
  ],
  ["hf://o/r/x.gguf", remote("https://huggingface.co/o/r/resolve/main/x.gguf", "hf://o/r/x.gguf")],
  ["https://huggingface.co/o/r", repository("o/r")],
  ["https://www.huggingface.co/o/r/tree/v1?x=1", repository("o/r", "v1")],
  ["https://huggingface.co/o/r/resolve/v1", repository("o/r", "v1")],
  ["https://huggingface.co/datasets/o/r", "faulty"],
  ["https://huggingface.co/o", "faulty"],
  ["hf://o/r", repository("o/r")],
  ["hf://o/r@v1", repository("o/r", "v1")],
  ["hf://o/r/sub/x.gguf@v1", remote("https://huggingface.co/o/r/resolve/v1/sub/x.gguf", "hf://o/r@v1/sub/x.gguf")],
  ["hf://o/r@refs/pr/1", repository("o/r", "refs/pr/1")],
  [
    "hf://o/r/x.gguf@refs/pr/1",
    remote("https://huggingface.co/o/r/resolve/refs%2Fpr%2F1/x.gguf", "hf://o/r@refs%2Fpr%2F1/x.gguf"),
  ],
  ["hf://o/r@v1/x.gguf", remote("https://huggingface.co/o/r/resolve/v1/x.gguf", "hf://o/r@v1/x.gguf")],
  ["https://huggingface.co/o/r/tree/refs%2Fpr%2F1", repository("o/r", "refs/pr/1")],
  ["https://user:secret@h/m.gguf", "faulty"],
  ["hf://o/r/../../x.gguf", "faulty"],
  ["file:///mnt/100%25.gguf", { is: "local", path: "/mnt/100%25.gguf" }],
  ["s3://bucket/m.gguf", { is: "bucket", uri: "s3://bucket/m.gguf", isFile: true }],
  ["s3://bucket@eu-west-1/a/b", { is: "bucket", uri: "s3://bucket@eu-west-1/a/b", isFile: false }],
  ["s3://bucket/../x", "faulty"],
  ["hf://o/r@", "faulty"],
  ["hf://@rev", "faulty"],
  ["hf://o/r@a b", "faulty"],
  ["Qwen/Qwen3-8B-GGUF", repository("Qwen/Qwen3-8B-GGUF")],
  ["model.gguf", "faulty"],
];

for (const [text, expected] of table) {
  test(`${text} is ${expected === "faulty" ? "faulty" : expected.is}`, () => {
    const source = parseSource(text);
    if (expected === "faulty") assert.equal(source.is, "faulty");
    else assert.deepEqual(source, expected);
  });
}
