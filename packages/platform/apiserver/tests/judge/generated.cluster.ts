import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { generatedSequences } from "./generate.ts";
import { printDifferences, printSequence } from "./print.ts";
import type { Sequence } from "./sequence.ts";
import { judgeAll, judgeTwice, openSuite } from "./suite.ts";

const runs = Number(process.env.JUDGE_RUNS ?? 400);
const seed = Number(process.env.JUDGE_SEED ?? Date.now() % 1_000_000);

test(`${runs} generated sequences are answered alike (seed ${seed})`, async () => {
  const servers = await openSuite();
  const sample = fc.sample(generatedSequences(), { numRuns: runs, seed });
  const { reports } = await judgeAll(sample, servers);
  if (reports.length === 0) return;
  const isAlike = async (sequence: Sequence): Promise<boolean> =>
    (await judgeTwice(sequence, servers)).every(({ row }) => row !== undefined);
  // The same sequences again, one by one, so that the first that fails can be made smaller.
  const found = await fc.check(fc.asyncProperty(generatedSequences(), isAlike), { numRuns: runs, seed });
  const smallest = found.counterexample?.[0];
  const explained = smallest === undefined ? reports.join("\n") : await explain(smallest);
  assert.fail(`${reports.length} of ${runs} differ; the smallest that was found:\n${explained}`);

  async function explain(sequence: Sequence): Promise<string> {
    const open = (await judgeTwice(sequence, servers)).filter(({ row }) => row === undefined);
    return `${printDifferences(sequence, open)}\n\n${printSequence(sequence)}`;
  }
});
