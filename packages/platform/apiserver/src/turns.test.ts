import assert from "node:assert/strict";
import { it } from "node:test";
import { Turns } from "./turns.ts";

it("gives one turn for each round of the event loop, in order", async () => {
  const turns = new Turns();
  const rounds: string[] = [];
  let round = 0;
  const count = () => {
    round++;
    if (round < 10) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(
    ["a", "b", "c"].map(async (name) => {
      await turns.take();
      rounds.push(`${name}${round}`);
      await turns.take();
      rounds.push(`${name}${round}`);
    }),
  );
  assert.deepEqual(
    rounds.map((entry) => entry[0]),
    ["a", "b", "c", "a", "b", "c"],
  );
  assert.equal(new Set(rounds.map((entry) => entry.slice(1))).size, 6, `two turns in one round: ${rounds}`);
});
