import assert from "node:assert/strict";
import { test } from "node:test";
import type { NodeUse } from "./capacity.ts";
import { whatFits } from "./what-fits.ts";

const gi = 1024 ** 3;
const node: NodeUse = {
  name: "gpu-1",
  isReady: true,
  isCordoned: false,
  labels: {},
  cpu: { used: 1, offered: 8 },
  memory: { used: 24 * gi, offered: 32 * gi },
  gpus: { used: 1, offered: 2 },
  pods: [],
};
const models = [
  { name: "small", bytes: 4 * gi },
  { name: "large", bytes: 20 * gi },
  { name: "huge", bytes: 100 * gi },
];
const namesOf = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);

test("models fit into the memory of free GPUs, else into memory that no pod requests", () => {
  const { gpuBytes, hostBytes, fitting, tooLarge } = whatFits(node, 24 * gi, models);
  assert.deepEqual([gpuBytes, hostBytes], [24 * gi, 8 * gi]);
  assert.deepEqual(namesOf(fitting), ["large", "small"]);
  assert.deepEqual(namesOf(tooLarge), ["huge"]);
  assert.deepEqual(
    whatFits(node, undefined, models).fitting.map(({ name, on }) => [name, on]),
    [["small", "CPU"]],
    "GPUs of unknown memory promise nothing",
  );
});

test("a node that takes no pods fits nothing", () => {
  assert.deepEqual(whatFits({ ...node, isCordoned: true }, 24 * gi, models).fitting, []);
  assert.deepEqual(whatFits({ ...node, isReady: false }, 24 * gi, models).fitting, []);
});
