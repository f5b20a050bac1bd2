import assert from "node:assert/strict";
import { test } from "node:test";
import { Chances, type ChancesContext } from "./chances.ts";
import type { Generation } from "./generation.ts";

/** What a sampler tells of five tokens, of which it chose one; with the tokens that were looked up for it. */
async function choose(token: number, count: number) {
  const named: number[] = [];
  const pairs = [0, 0.1, 1, 0.5, 2, 0, 3, 0.3, 4, 0.1];
  const chances = new Chances({
    context: { sampleToken: async () => [token, pairs] },
    vocabulary: {
      bytesOf: (id: number) => {
        named.push(id);
        return Buffer.from(`t${id}`);
      },
    },
  } as unknown as ChancesContext);
  const options = { n_probs: count, post_sampling_probs: true, temperature: 1 };
  const generation = { run: { options }, takeForced: () => undefined } as unknown as Generation;
  return { ...(await chances.choose(generation, 0)), named };
}

test("the likeliest of the tokens that the sampler chose among are shown, and only those are looked up", async () => {
  const { chances, named } = await choose(4, 2);
  assert.deepEqual(chances?.picked, { id: 4, token: "t4", bytes: [0x74, 0x34], chance: 0.1 });
  assert.deepEqual(
    chances?.top.map(({ id, chance }) => [id, chance]),
    [
      [1, 0.5],
      [3, 0.3],
    ],
  );
  assert.deepEqual(named.sort(), [1, 3, 4]);
});

test("tokens of the same chance keep their order, those without any are left out", async () => {
  const { chances } = await choose(9, 10);
  assert.deepEqual([chances?.picked.id, chances?.picked.chance], [9, 1]);
  assert.deepEqual(
    chances?.top.map(({ id }) => id),
    [1, 3, 0, 4],
  );
});
