import assert from "node:assert/strict";
import { test } from "node:test";
import type { api } from "@trivium/kube";
import { DeviceBook, environmentOfDevices } from "./device-book.ts";

const nvidia = { vendor: "nvidia", product: "X", count: 4, memoryGiB: 80 } as const;
const wants = (count: string): api.Container => ({ name: "main", resources: { limits: { "nvidia.com/gpu": count } } });

test("each card has one owner, who keeps it until its pod goes", () => {
  const book = new DeviceBook([nvidia]);
  assert.deepEqual(book.take("a/main", wants("2")), { "nvidia.com/gpu": [0, 1] });
  assert.deepEqual(book.take("a/main", wants("2")), { "nvidia.com/gpu": [0, 1] });
  assert.deepEqual(book.take("b/main", wants("1")), { "nvidia.com/gpu": [2] });
  assert.equal(book.take("c/main", wants("2")), undefined, "only one is left");
  assert.deepEqual(book.take("d/main", { name: "main" }), {});
  book.release("a");
  assert.deepEqual(book.take("c/main", wants("2")), { "nvidia.com/gpu": [0, 1] });
  assert.equal(book.take("e/main", { name: "x", resources: { limits: { "amd.com/gpu": "1" } } }), undefined);
});

test("what an earlier agent gave is not given again", () => {
  const book = new DeviceBook([nvidia]);
  book.restore("old/main", { "nvidia.com/gpu": [1] });
  assert.deepEqual(book.take("new/main", wants("2")), { "nvidia.com/gpu": [0, 2] });
  assert.deepEqual(book.take("old/main", wants("1")), { "nvidia.com/gpu": [1] });
});

test("processes are told their cards in the words of the vendor", () => {
  assert.deepEqual(environmentOfDevices({ "nvidia.com/gpu": [2, 3], "amd.com/gpu": [0] }), {
    CUDA_VISIBLE_DEVICES: "2,3",
    NVIDIA_VISIBLE_DEVICES: "2,3",
    GGML_VK_VISIBLE_DEVICES: "0",
    HIP_VISIBLE_DEVICES: "0",
    ROCR_VISIBLE_DEVICES: "0",
  });
  assert.deepEqual(environmentOfDevices({}), {});
});

test("a shared card has several containers, and a container never has one card twice", () => {
  const book = new DeviceBook([{ ...nvidia, count: 2, shares: 2 }]);
  assert.deepEqual(book.take("a/main", wants("1")), { "nvidia.com/gpu": [0] });
  assert.deepEqual(book.take("b/main", wants("1")), { "nvidia.com/gpu": [1] });
  assert.deepEqual(book.take("c/main", wants("2")), { "nvidia.com/gpu": [0, 1] });
  assert.equal(book.take("d/main", wants("1")), undefined, "both cards have two containers");
  book.release("b");
  assert.equal(book.take("e/main", wants("3")), undefined, "there are two cards");
  assert.deepEqual(book.take("e/main", wants("1")), { "nvidia.com/gpu": [1] });
});
